import { type ErrorCode, type ErrorKind, ERRORS } from './error-catalogue.js';

/** The headers of every 503. */
export const RETRY_SOON = { 'retry-after': '1' };

/** An error that is reported to the client. The error filter turns it into the response. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(
    kind: ErrorCode | ErrorKind,
    message?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const { status, when } = typeof kind === 'string' ? ERRORS[kind] : kind;
    super(message ?? when);
    this.name = 'ApiError';
    this.code = typeof kind === 'string' ? kind : kind.code;
    this.status = status;
  }

  /** The Error body of the contract has exactly these three members. */
  toJSON(): { code: string; message: string; status: number } {
    return { code: this.code, message: this.message, status: this.status };
  }
}

export function notFound(what: string): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`);
}

export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `The methods of this resource are ${allow}.`, { allow });
}

export function unavailable(message?: string): ApiError {
  return new ApiError('service_unavailable', message, RETRY_SOON);
}

/** There is no room for the request: its operation does not begin, or is undone. Others succeed meanwhile. */
export class NoRoom extends ApiError {
  constructor(message: string) {
    super('service_unavailable', message, RETRY_SOON);
  }
}
