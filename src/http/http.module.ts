import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config.js';
import { Health } from './health.js';
import { MetricsServer } from './metrics-server.js';
import { createRateLimits, RateLimits } from './rate-limiter.js';

/** What happens before a route and after an answer. `createApp()` installs what belongs to Fastify. */
@Global()
@Module({
  providers: [Health, MetricsServer, { provide: RateLimits, inject: [Config], useFactory: createRateLimits }],
  exports: [RateLimits],
})
export class HttpModule {}
