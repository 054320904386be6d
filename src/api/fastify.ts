import type { Deprecation, DeprecationPolicy } from './deprecation.js';
import type { ApiError, ErrorKind } from './errors.js';
import type { RunOnce } from './idempotency/repeatable.js';

/** All properties that we add to Fastify's objects, by `decorateRequest`, `decorateReply` and the `config` of a route. */
declare module 'fastify' {
  interface FastifyRequest {
    /** The valid API key of the request. `originId` is the key with which its rotations began, if it has any. */
    caller: Readonly<{ id: bigint; name: string; originId: bigint | null; readOnly: boolean }> | null;
    runOnce: RunOnce;
    /** Whether `refuseOverload` counts the request as concurrent. */
    isInFlight: boolean;
  }
  interface FastifyReply {
    /** The error that was answered, for the log and the metrics. */
    error: ApiError | null;
  }
  interface FastifyContextConfig {
    /** Whether it takes requests without a key. */
    isPublic?: boolean;
    /** What a successful answer holds. Its headers follow from that: a page has Link, a created resource has Location. */
    answer?: 'resource' | 'page' | 'creation' | 'nothing';
    /** The errors that `@Refuses()` declares. */
    refuses?: readonly ErrorKind[];
    deprecation?: Deprecation;
    /** Made of `deprecation` when the route is registered. */
    policy?: DeprecationPolicy;
    /** The Location of a created resource; undefined after the sunset of the operation that reads it. */
    locationOf?: (created: unknown) => string | undefined;
  }
}
