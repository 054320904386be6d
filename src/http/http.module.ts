import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config.js';
import { HealthController } from './health.controller.js';
import { MetricsServer } from './metrics-server.js';
import { createRateLimits, RateLimits } from './rate-limiter.js';
import { Shutdown } from './shutdown.js';

/** What happens before a route and after an answer. `createApp()` installs what belongs to Fastify. */
@Global()
@Module({
  controllers: [HealthController],
  providers: [MetricsServer, Shutdown, { provide: RateLimits, inject: [Config], useFactory: createRateLimits }],
  exports: [RateLimits],
})
export class HttpModule {}
