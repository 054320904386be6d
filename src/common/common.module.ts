import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Config } from './config/config.js';

/** The settings and the time of day. */
@Global()
@Module({})
export class CommonModule {
  static forRoot(config: Config, clock: Clock): DynamicModule {
    return {
      module: CommonModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
      ],
      exports: [Config, Clock],
    };
  }
}
