import { Env } from '../common/config/env.decorator.js';
import { day } from '../common/config/value-parsers.js';

/** The dates of getPet's deprecation. The specification fixes the sunset, so announce a change to clients. */
export class PetsSettings {
  @Env('GETPET_DEPRECATED_ON', day, { about: 'The day from which `getPet` is deprecated.' })
  readonly getPetDeprecatedOn: Date = new Date('2025-12-05T00:00:00Z');

  @Env('GETPET_SUNSET_ON', day, { about: 'The day from which `getPet` answers 410.' })
  readonly getPetSunsetOn: Date = new Date('2030-12-05T00:00:00Z');

  contradictions(): string[] {
    return this.getPetSunsetOn < this.getPetDeprecatedOn
      ? ['GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON']
      : [];
  }
}
