import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Clock } from './clock.js';
import { Config } from './config/config.js';
import { Deprecations } from './deprecation/deprecations.js';
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
        Deprecations,
        Shutdown,
      ],
      exports: [Config, Clock, Deprecations, Shutdown],
    };
  }
}
