import type { FastifyInstance } from 'fastify';
import { STALE_HEADER, STALE_STATUSES } from '../../api/responses/stale-read.js';
import type { StandbyReads } from './standby-reads.js';

const READS = new Set(['GET', 'HEAD']);

/** Marks answers that may be stale. By time: whoever waited for a stale read began before it. */
export function markStaleAnswers(fastify: FastifyInstance, reads: StandbyReads): void {
  const begun = Symbol('begun');
  type Timed = { [begun]: number };
  fastify.addHook('onRequest', (request, _reply, done) => {
    (request as unknown as Timed)[begun] = performance.now();
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRead = READS.has(request.method) && STALE_STATUSES.includes(String(reply.statusCode));
    if (isRead && reads.mayBeStaleSince((request as unknown as Timed)[begun]))
      reply.header(STALE_HEADER, 'true');
    done(null, payload);
  });
}
