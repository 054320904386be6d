/** The workloads. `rate` is the least requests per second relative to contestants, beside those of `TARGETS`. */
export const WORKLOADS = [
  { name: 'page', title: 'a page of 20 at a random position', rate: { fastify: 1.6, go: 1.15 } },
  { name: 'hot', title: 'the same page of 20 again and again', rate: { fastify: 2.5, go: 1.8 } },
  { name: 'status', title: '100 of one status at a random position', rate: { fastify: 1.6, go: 1.4 } },
  { name: 'one', title: 'one animal', rate: { fastify: 2, go: 1.05 } },
  { name: 'create', title: 'a create', rate: { fastify: 2.5, go: 1.9 } },
];

/** By contestant, or for the service alone. */
export const TARGETS = {
  rate: { rust: 1.05, express: 6 },
  cpu: { fastify: 1, go: 1 },
  p99: { fastify: 1.25 },
  start: 1.5,
  memory: 1.3,
  flat: 0.9,
  large: 0.95,
  keyed: 0.6,
  citus: { page: 0.3, one: 0.4, create: 0.4 },
  standby: { share: 0.2, laterMs: 1.5 },
};
