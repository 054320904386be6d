import { Injectable } from '@nestjs/common';
import { DeprecationPolicy } from '../api/deprecation.js';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config.js';
import { Metrics } from '../common/metrics.js';

/** The terms of getPet's deprecation. */
@Injectable()
export class GetPetDeprecation extends DeprecationPolicy {
  constructor(clock: Clock, metrics: Metrics, config: Config) {
    super(clock, metrics, {
      deprecatedOn: config.getPetDeprecatedOn,
      sunsetOn: config.getPetSunsetOn,
      rehearsal: config.sunsetRehearsal,
      successor: `${config.apiBase}/pets`,
      advice: 'Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
      explained: `${config.docsUrl}/guide#the-end-of-getpet`,
    });
  }
}
