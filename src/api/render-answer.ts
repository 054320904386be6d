import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where a created resource can be read, while it can. */
    locationOf?: (created: never) => string | undefined;
  }
}

export function locationOf(returned: unknown, { routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.config.locationOf?.(returned as never);
}

/** What Fastify sends for the return value of a handler. */
export function renderAnswer(
  returned: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): { status: number; location: string | null; body: string | null } {
  return {
    status: reply.statusCode,
    location: locationOf(returned, request) ?? null,
    body: returned === undefined ? null : (reply.serialize(returned) as string),
  };
}
