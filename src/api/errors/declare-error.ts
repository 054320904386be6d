import { ApiError } from './api-error.js';
import { type ErrorCode, type ErrorKind, ERRORS } from './error-catalogue.js';

/** In place of the name of a constraint: every foreign key that the operation does not name. */
export const ANY_FOREIGN_KEY = '(any foreign key)';

interface Trigger {
  /** The constraints whose violation is this error, in the operations that refuse with it. */
  readonly onConstraint?: string | readonly string[];
}

/** A code of the catalogue is permanent and explained; only the message is the feature's own. */
type OfCatalogue = Trigger & { readonly message: string };
type OfFeature = Trigger & Omit<ErrorKind, 'code'>;

/** An error of a feature: `throw animalNotAvailable()`, `@Refuses(animalNotAvailable)`. */
export interface DeclaredError<C extends string = string> extends ErrorKind {
  (message?: string): ApiError;
  readonly code: C;
  readonly constraints: readonly string[];
}

/** Declares an error of a feature: with a new code and its explanation, or with a code of the catalogue and a message. */
export function declareError<C extends string>(
  code: C,
  terms: C extends ErrorCode ? OfCatalogue : OfFeature,
): DeclaredError<C> {
  const { onConstraint = [], ...own }: Trigger & Partial<OfCatalogue & OfFeature> = terms;
  const known = (ERRORS as Partial<Record<string, OfFeature>>)[code];
  const kind: ErrorKind = { code, ...((known ?? own) as OfFeature) };
  const create = (message = own.message): ApiError => new ApiError(kind, message);
  return Object.assign(create, { ...kind, code, constraints: [onConstraint].flat() });
}
