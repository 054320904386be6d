import { SetMetadata } from '@nestjs/common';
import { ERROR_CODES, type ErrorCode, type ErrorKind, kindOf } from './error-catalogue.js';

/** An error for the client. Only the error filter turns it into a response. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(
    kind: ErrorCode | ErrorKind,
    message?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    const { code, status, when } = typeof kind === 'string' ? kindOf(kind) : kind;
    super(message ?? when);
    this.name = 'ApiError';
    this.code = code;
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

export function unavailable(message?: string): ApiError {
  return new ApiError('service_unavailable', message, { 'retry-after': '1' });
}

/** An error of a feature: `throw animalNotAvailable()`, `@Refuses(animalNotAvailable)`. */
export interface DeclaredError extends ErrorKind {
  (message?: string): ApiError;
}

const declared = new Map<string, DeclaredError>();
const byConstraint = new Map<string, DeclaredError>();

/** Declares an error of a feature, once. The violation of a constraint in `onConstraint` is this error. */
export function declareError(
  code: string,
  { onConstraint = [], ...terms }: Omit<ErrorKind, 'code'> & { readonly onConstraint?: readonly string[] },
): DeclaredError {
  const kind: ErrorKind = { code, ...terms };
  const error = Object.assign((message?: string) => new ApiError(kind, message), kind);
  if (declared.has(code) || ERROR_CODES.includes(code as ErrorCode))
    throw new Error(`The error ${code} is declared twice: share the first.`);
  declared.set(code, error);
  for (const constraint of onConstraint) byConstraint.set(constraint, error);
  return error;
}

/** What the violation of a named constraint of the database means to a client. */
export function errorOfConstraint(name: string): ApiError | undefined {
  return byConstraint.get(name)?.();
}

/** Every error of the service, by status. */
export function allErrors(): ErrorKind[] {
  return [...ERROR_CODES.map(kindOf), ...declared.values()].toSorted((a, b) => a.status - b.status);
}

export const REFUSES = 'refuses';

/** Documents errors of an operation beside those that follow from its key, its parameters and its body. */
export function Refuses(...errors: DeclaredError[]): MethodDecorator {
  return (target, name, descriptor) => {
    const others = (Reflect.getMetadata(REFUSES, descriptor.value as object) ?? []) as DeclaredError[];
    SetMetadata(REFUSES, [...errors, ...others])(target, name, descriptor);
  };
}
