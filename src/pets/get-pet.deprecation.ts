import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { DeprecationPolicy } from '../api/deprecation/deprecation-policy.js';
import { PetsSettings } from './pets.settings.js';

/** The terms of getPet's deprecation. */
@Injectable()
export class GetPetDeprecation extends DeprecationPolicy {
  constructor(clock: Clock, config: Config, settings: PetsSettings) {
    super(clock, {
      deprecatedOn: settings.getPetDeprecatedOn,
      sunsetOn: settings.getPetSunsetOn,
      rehearsal: config.sunsetRehearsal,
      successor: `${config.apiBase}/pets`,
      advice: 'Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
      explained: `${config.docsUrl}/guide#the-end-of-getpet`,
    });
  }
}
