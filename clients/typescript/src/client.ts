import { INT64, Operations } from './operations.js';
import type { Settings } from './settings.js';
import { HttpTransport } from './transport.js';

// The public API of the package.
export { ApiError } from './api-error.js';
export type { Deprecation } from './deprecations.js';
export type { ClientCode, Outcome } from './failure.js';
export type * from './operations.js';
export type { CallOptions, Clock, Limits, Settings } from './settings.js';

/** A client of the animal store. */
export class AnimalStore extends Operations {
  constructor(settings: Settings) {
    super(new HttpTransport(settings, INT64));
  }
}
