import type { FastifyReply } from 'fastify';

/** Adds a request header to Vary, which others may have set. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], name].flat().join(', '));
}
