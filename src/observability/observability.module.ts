import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { Metrics } from './metrics.js';
import { startTracing } from './start-tracing.js';
import { Tracing } from './tracing.js';

/** What operators see of the service from outside: numbers and traces. The log is there before any module. */
@Global()
@Module({
  providers: [Metrics, { provide: Tracing, inject: [Config], useFactory: startTracing }],
  exports: [Metrics, Tracing],
})
export class ObservabilityModule {}
