import type { Shape } from './exact-json.js';
import type { CallOptions } from './settings.js';

export type Scalar = string | number | bigint | boolean;

/** A request of one operation, before it is encoded. */
export interface Call {
  /** The name of its method. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly query?: object;
  /** The query parameters whose lists are sent as `1,2,3`. Other lists repeat the parameter. */
  readonly commaSeparated?: readonly string[];
  readonly headers?: Readonly<Record<string, Scalar | undefined>>;
  readonly body?: unknown;
  /** Where the answer has 64-bit integers. */
  readonly int64?: Shape;
  /** Whether a success may come without a body. */
  readonly mayBeEmpty?: boolean;
  /** Whether the body of a success is a list. */
  readonly isList?: boolean;
}

export interface Result<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** What operations are called through. An interface, because the HTTP transport depends on their error codes. */
export interface Transport {
  send<T>(call: Call, options?: CallOptions): Promise<Result<T>>;
}

/** Fills a path. Refuses values that URL parsers resolve, because the request would reach another operation. */
export function pathOf(parts: TemplateStringsArray, ...values: readonly Scalar[]): string {
  const segments = values.map(String);
  const strange = segments.find((segment) => ['', '.', '..'].includes(segment));
  if (strange !== undefined) throw new TypeError(`A path cannot contain ${JSON.stringify(strange)}.`);
  return String.raw({ raw: parts }, ...segments.map(encodeURIComponent));
}
