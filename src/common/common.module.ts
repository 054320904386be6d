import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Config } from './config/config.js';
import { WaitingPlaces } from './waiting-places.js';

/** HAProxy has 64 requests at a time in a replica. With those that these wait for, some 45. */
const MOST_WAITING = 24;

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
        { provide: WaitingPlaces, useValue: new WaitingPlaces(MOST_WAITING) },
      ],
      exports: [Config, Clock, WaitingPlaces],
    };
  }
}
