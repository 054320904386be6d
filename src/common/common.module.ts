import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Config } from './config/config.js';

/**
 * What several rooms need and none owns: configuration, clock, 64-bit integers, JSON, the current request and reply.
 * Code with a single user belongs in the room of that user.
 */
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
