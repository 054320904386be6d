import type { Deprecation, DeprecationPolicy } from './deprecation.js';
import type { ApiError, ErrorKind } from './errors.js';
import type { RunOnce } from './idempotency/repeatable.js';

/** What we keep on objects of Fastify. `createAdapter` decorates requests and replies; `addToRoute` configures routes. */
declare module 'fastify' {
  interface FastifyRequest {
    /** The valid API key of the request, and the first of those that it descends from by rotation. */
    caller: Readonly<{ id: bigint; name: string; originId: bigint | null; readOnly: boolean }> | null;
    runOnce: RunOnce;
    /** Whether it counts among the concurrent requests. */
    isInFlight: boolean;
  }
  interface FastifyReply {
    /** For the log and the metrics. */
    error: ApiError | null;
  }
  interface FastifyContextConfig {
    /** Whether it takes requests without a key. */
    isPublic?: boolean;
    /** Answers have headers that follow from it: pages their links, and what was created its Location. */
    answer?: 'resource' | 'page' | 'creation' | 'nothing';
    /** The errors that `@Refuses()` declares. */
    refuses?: readonly ErrorKind[];
    deprecation?: Deprecation;
    /** Made of `deprecation` when the route is registered. */
    policy?: DeprecationPolicy;
    /** Where a created resource can be read, while it can. */
    locationOf?: (created: unknown) => string | undefined;
  }
}
