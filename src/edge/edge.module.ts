import { Global, Module } from '@nestjs/common';
import { Shutdown } from './shutdown.js';

/**
 * HTTP below the API: the adapter, overload, CORS, bodies, errors, shutdown; in `http`, additions to the HTTP server of
 * Node.js. Nothing here knows an operation or the database. `createApp()` installs most of it.
 */
@Global()
@Module({ providers: [Shutdown], exports: [Shutdown] })
export class EdgeModule {}
