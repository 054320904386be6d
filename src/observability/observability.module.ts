import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { Metrics } from './metrics.js';
import { startTracing } from './start-tracing.js';
import { Tracing } from './tracing.js';

/**
 * Log, metrics and traces. A room registers its own metrics here; what they measure stays in that room.
 * The log is created before any module.
 */
@Global()
@Module({
  providers: [Metrics, { provide: Tracing, inject: [Config], useFactory: startTracing }],
  exports: [Metrics, Tracing],
})
export class ObservabilityModule {}
