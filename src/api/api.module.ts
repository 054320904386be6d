import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeprecatedCalls } from './deprecation/deprecated-calls.js';
import { DeprecationRegistry } from './deprecation/deprecation-registry.js';

/**
 * The vocabulary of operations: errors, input validation, paging, responses, deprecation and the OpenAPI document.
 * Nothing here serves a request by itself, and nothing knows a feature.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [DeprecationRegistry, DeprecatedCalls],
  exports: [DeprecationRegistry, DeprecatedCalls],
})
export class ApiModule {}
