/** The API key of a request. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** The first of the keys that it descends from by rotation; null if there is none. */
  readonly originId: bigint | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}
