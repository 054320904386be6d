// Slow clients in a process of their own, which can live in another network namespace: it makes the crowds that it is
// told of, and tells what became of them once it is asked to end.
import { SlowCrowd } from './slow-crowd.mjs';

let crowds = [];

const orders = {
  async come(plans) {
    crowds = plans.map(({ name, ...plan }) => new SlowCrowd(name, plan));
    await Promise.all(crowds.map((crowd) => crowd.come()));
  },
  /** From now on nobody takes the place of one that is cut. */
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
