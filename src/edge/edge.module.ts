import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { Pressure } from './pressure.js';
import { Shutdown } from './shutdown.js';

/**
 * HTTP below the API: connections, limits, malformed requests, reading bodies, errors, shutdown. Nothing here knows an
 * operation or the database. `createApp()` installs most of it.
 */
@Global()
@Module({
  providers: [
    Shutdown,
    {
      provide: Pressure,
      inject: [Config],
      useFactory: ({ maxConcurrentRequests }: Config) => new Pressure(maxConcurrentRequests),
    },
  ],
  exports: [Shutdown, Pressure],
})
export class EdgeModule {}
