import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { DeprecationPolicy } from '../common/deprecation/deprecation-policy.js';

/** Why and until when single animals can be fetched by their id. */
@Injectable()
export class GetPetDeprecation extends DeprecationPolicy {
  constructor(clock: Clock, config: Config) {
    super(clock, {
      deprecatedOn: config.getPetDeprecatedOn,
      sunsetOn: config.getPetSunsetOn,
      rehearsal: config.sunsetRehearsal,
      successor: `${config.apiBase}/pets`,
      advice: 'Use `GET /pets` with the `status` filter instead.',
      explained: `${config.docsUrl}#/pets/getPet`,
    });
  }
}
