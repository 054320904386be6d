import { outageUnderLoad } from './support/outage.mjs';

export const title =
  'while the database is down, clients get 503 at once; soon after it is back, requests succeed';
export const hasShortForm = true;

export const run = (drill) =>
  outageUnderLoad(drill, async ({ pgCtl }) => {
    await pgCtl('stop', '-m', 'fast');
    return () => pgCtl('start');
  });
