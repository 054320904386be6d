import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a route to requests without a key. All other routes require one. */
export const Public = () => SetMetadata(PUBLIC, true);

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key of the request; null on a public route. */
    caller: Caller | null;
  }
}

interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** The first of the keys that it descends from by rotation; null if there is none. */
  readonly originId: bigint | null;
}
