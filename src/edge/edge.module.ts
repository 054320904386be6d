import { Global, Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { LoadMonitor } from './load-monitor.js';
import { Shutdown } from './shutdown.js';

/**
 * HTTP below the API: the adapter, overload, CORS, bodies, errors, metrics port, shutdown; in `http`, additions to the HTTP server of
 * Node.js. Nothing here knows an operation or the database. `createApp()` installs most of it.
 */
@Global()
@Module({
  providers: [
    Shutdown,
    {
      provide: LoadMonitor,
      inject: [Config],
      useFactory: ({ maxConcurrentRequests }: Config) => new LoadMonitor(maxConcurrentRequests),
    },
  ],
  exports: [Shutdown, LoadMonitor],
})
export class EdgeModule {}
