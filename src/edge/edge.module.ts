import { Global, Module } from '@nestjs/common';
import { Shutdown } from './shutdown.js';

/**
 * HTTP below the API: connections, limits, malformed requests, reading bodies, errors, shutdown. Nothing here knows an
 * operation or the database. `createApp()` installs most of it.
 */
@Global()
@Module({ providers: [Shutdown], exports: [Shutdown] })
export class EdgeModule {}
