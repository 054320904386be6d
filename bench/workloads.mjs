/** The workloads and their targets: `rate` is requests per second relative to the hand-written peer. */
export const WORKLOADS = [
  { name: 'page', title: 'a page of 20 at a random position', rate: 1.2, reads: true },
  { name: 'hot', title: 'the same page of 20 again and again', rate: 1.5, reads: true },
  { name: 'status', title: '100 of one status at a random position', rate: 1.1, reads: true },
  { name: 'one', title: 'one animal', rate: 1.2, reads: true },
  { name: 'create', title: 'a create', rate: 2, reads: false },
];

export const TARGETS = {
  overDefault: 4,
  cpu: 1,
  p99: 1.25,
  start: 2.5,
  memory: 1.8,
  flat: 0.9,
  keyed: 0.6,
  standby: { share: 0.2, laterMs: 1.5 },
};
