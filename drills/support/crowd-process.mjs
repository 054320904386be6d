// Runs slow clients in a separate process, which can be in another network namespace. Messages start crowds, stop their
// reconnects and request a summary.
import { SlowCrowd } from './slow-crowd.mjs';

let crowds = [];

const orders = {
  async come(plans) {
    crowds = plans.map(({ name, ...plan }) => new SlowCrowd(name, plan));
    await Promise.all(crowds.map((crowd) => crowd.come()));
  },
  /** From now on, clients that are cut off do not reconnect. */
  async cease() {
    for (const crowd of crowds) crowd.replace = false;
  },
  async judge() {
    return crowds.map((crowd) => crowd.summary());
  },
};

process.on('message', ({ order, argument }) => {
  void orders[order](argument).then((result) => process.send({ order, result }));
});
process.on('disconnect', () => process.exit());
