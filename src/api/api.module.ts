import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeprecatedCalls } from './deprecation/deprecated-calls.js';
import { Deprecations } from './deprecation/deprecations.js';

/** The vocabulary of operations: errors, fields, pages, answers, deprecation, and the document made from them. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [Deprecations, DeprecatedCalls],
  exports: [Deprecations, DeprecatedCalls],
})
export class ApiModule {}
