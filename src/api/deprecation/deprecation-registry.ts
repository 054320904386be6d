import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { OperationHandlers } from '../document/operation-handlers.js';
import type { DeprecationPolicy } from './deprecation-policy.js';

/** The metadata key of an operation's policy. */
export const DEPRECATED = 'deprecated';

/** Finds the policy of a deprecated operation. */
@Injectable()
export class DeprecationRegistry {
  private policies?: ReadonlyMap<string, DeprecationPolicy>;

  constructor(
    private readonly handlers: OperationHandlers,
    private readonly modules: ModuleRef,
  ) {}

  /** Operation ids are the names of the handlers. */
  ofOperation(operationId: string): DeprecationPolicy | undefined {
    return (this.policies ??= this.collect()).get(operationId);
  }

  private collect(): ReadonlyMap<string, DeprecationPolicy> {
    const policies = this.handlers.metadata<Type<DeprecationPolicy>>(DEPRECATED);
    return new Map([...policies].map(([id, policy]) => [id, this.modules.get(policy, { strict: false })]));
  }
}
