import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeprecatedCalls } from './deprecation/deprecated-calls.js';
import { DeprecationRegistry } from './deprecation/deprecation-registry.js';
import { OperationHandlers } from './document/operation-handlers.js';
import { DeclaredErrors } from './errors/declared-errors.js';

/**
 * The vocabulary of operations: errors, input validation, paging, responses, deprecation and the OpenAPI document.
 * Nothing here serves a request by itself, and nothing knows a feature.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [OperationHandlers, DeclaredErrors, DeprecationRegistry, DeprecatedCalls],
  exports: [DeclaredErrors, DeprecationRegistry, DeprecatedCalls],
})
export class ApiModule {}
