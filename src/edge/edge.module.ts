import { Global, Module } from '@nestjs/common';
import { Shutdown } from './shutdown.js';

/** What happens to a request before its route and to an answer after it. Most of it is attached by `createApp()`. */
@Global()
@Module({ providers: [Shutdown], exports: [Shutdown] })
export class EdgeModule {}
