import type { CallOptions } from './settings.js';

/** A request of one operation, before it is encoded. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

export interface Result<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** What operations are called through. An interface, because the HTTP transport depends on their error codes. */
export interface Transport {
  send<T>(call: Call, options?: CallOptions): Promise<Result<T>>;
}
