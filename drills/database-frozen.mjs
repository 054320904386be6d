import { outageUnderLoad } from './support/outage.mjs';
import { freeze } from './support/postgres.mjs';

export const title =
  'a database that keeps its connections open but does not answer is treated like one that is down';
export const hasShortForm = true;

export const run = (drill) => outageUnderLoad(drill, (cluster) => freeze(drill, cluster));
