import { SetMetadata } from '@nestjs/common';
import type { DeclaredError } from './declare-error.js';

/** The metadata key of an operation's declared errors. */
export const REFUSES = 'refuses';

/**
 * Documents that an operation refuses requests with these errors, and translates violations of their constraints. Errors
 * that follow from its key, parameters and body need no mention.
 */
export function Refuses(...errors: DeclaredError[]): MethodDecorator {
  return (target, name, descriptor) => {
    const others = (Reflect.getMetadata(REFUSES, descriptor.value as object) ?? []) as DeclaredError[];
    SetMetadata(REFUSES, [...errors, ...others])(target, name, descriptor);
  };
}
