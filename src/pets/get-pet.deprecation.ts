import { Injectable } from '@nestjs/common';
import { DeprecationPolicy } from '../api/deprecation.js';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config.js';

/** The terms of getPet's deprecation. */
@Injectable()
export class GetPetDeprecation extends DeprecationPolicy {
  constructor(clock: Clock, config: Config) {
    super(clock, {
      deprecatedOn: config.getPetDeprecatedOn,
      sunsetOn: config.getPetSunsetOn,
      rehearsal: config.sunsetRehearsal,
      successor: `${config.apiBase}/pets`,
      advice: 'Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
      explained: `${config.docsUrl}/guide#the-end-of-getpet`,
    });
  }
}
