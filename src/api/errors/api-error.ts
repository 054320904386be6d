import { ERRORS, type ErrorCode } from './error-catalogue.js';

/** The headers of every 503. */
export const RETRY_SOON = { 'retry-after': '1' };

/** An error that is reported to the client. The error filter turns it into the response. */
export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].when,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = ERRORS[code].status;
  }

  /** The Error body of the contract has exactly these three members. */
  toJSON(): { code: ErrorCode; message: string; status: number } {
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
