import { SetMetadata } from '@nestjs/common';
import { declareError, type DeclaredError } from './declare-error.js';
import { type ErrorCode, ERRORS } from './error-catalogue.js';

/** The metadata key of an operation's declared errors. */
export const REFUSES = 'refuses';

/**
 * Documents that an operation refuses requests with these errors, and translates violations of their constraints. Errors
 * that follow from its key, parameters and body need no mention.
 */
export function Refuses(...errors: (DeclaredError | ErrorCode)[]): MethodDecorator {
  const own = errors.map((error) =>
    typeof error === 'string' ? declareError(error, { message: ERRORS[error].when }) : error,
  );
  return (target, name, descriptor) => {
    const others = (Reflect.getMetadata(REFUSES, descriptor.value as object) ?? []) as DeclaredError[];
    SetMetadata(REFUSES, [...own, ...others])(target, name, descriptor);
  };
}
