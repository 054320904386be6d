import { Module } from '@nestjs/common';
import { ApiKeyStrategy } from './api-key.guard.js';
import { KeyVerifier } from './key-verifier.js';
import { KeysModule } from './keys.module.js';

/** The verification of API keys. The app module registers the guards. */
@Module({ imports: [KeysModule], providers: [KeyVerifier, ApiKeyStrategy], exports: [KeyVerifier] })
export class AuthModule {}
