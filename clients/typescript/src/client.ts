import { INT64_MEMBERS, Operations } from './operations.js';
import type { Settings } from './settings.js';
import { HttpTransport } from './transport.js';

// The front door of the package: what callers need comes from here.
export { ApiError } from './api-error.js';
export type * from './operations.js';
export type { CallOptions, Settings, Wait } from './settings.js';

/** The animal store, for programs. */
export class AnimalStore extends Operations {
  constructor(settings: Settings) {
    super(new HttpTransport(settings, INT64_MEMBERS));
  }
}
