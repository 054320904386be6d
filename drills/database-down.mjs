import { outageUnderLoad } from './support/outage.mjs';

export const title =
  'while the database is down clients are told so at once, and soon after it is back nobody notices';
export const hasShortForm = true;

export const run = (drill) =>
  outageUnderLoad(drill, async ({ pgCtl }) => {
    await pgCtl('stop', '-m', 'fast');
    return () => pgCtl('start');
  });
