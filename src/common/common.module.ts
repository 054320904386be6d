import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Clock } from './clock.js';
import { Config } from './config/config.js';
import { Deprecations } from './deprecation/deprecations.js';
import { DeprecatedCalls } from './metrics/deprecated-calls.js';
import { Metrics } from './metrics/metrics.js';
import { startTracing } from './tracing/start-tracing.js';
import { Tracing } from './tracing/tracing.js';
import { Shutdown } from './http/shutdown.js';

/** What every feature may ask for. */
@Global()
@Module({})
export class CommonModule {
  static forRoot(config: Config, clock: Clock): DynamicModule {
    return {
      module: CommonModule,
      imports: [DiscoveryModule],
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
        { provide: Tracing, useFactory: () => startTracing(config) },
        Deprecations,
        Metrics,
        DeprecatedCalls,
        Shutdown,
      ],
      exports: [Config, Clock, Tracing, Deprecations, Metrics, DeprecatedCalls, Shutdown],
    };
  }
}
