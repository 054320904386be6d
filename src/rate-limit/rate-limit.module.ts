import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { RateLimits } from './rate-limits.js';

/** How much each client may do. */
@Global()
@Module({
  providers: [
    { provide: RateLimits, inject: [Config], useFactory: (config: Config) => RateLimits.start(config) },
  ],
  exports: [RateLimits],
})
export class RateLimitModule {}
