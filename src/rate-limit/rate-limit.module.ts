import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { RateLimits } from './rate-limits.js';

/** Limits of requests per key, and of failed authentications per client address. Overload is handled in src/edge. */
@Global()
@Module({
  providers: [
    { provide: RateLimits, inject: [Config], useFactory: (config: Config) => RateLimits.start(config) },
  ],
  exports: [RateLimits],
})
export class RateLimitModule {}
