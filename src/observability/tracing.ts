import type { FastifyRequest } from 'fastify';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The interface of tracing, and its no-op implementation. `OtlpTracing` is the other one. */
export class Tracing {
  /** Runs `work` in a child span of the current request. Attributes must not hold keys, bodies or SQL values. */
  span<T>(_name: string, _attributes: Attributes, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Starts the span of a request and runs `next` in its context. */
  follow(_request: FastifyRequest, next: () => void): void {
    next();
  }

  /** Ends the span of a request. */
  end(_request: FastifyRequest, _status: number): void {}
}
