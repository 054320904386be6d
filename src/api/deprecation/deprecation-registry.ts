import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModuleRef, Reflector } from '@nestjs/core';
import type { DeprecationPolicy } from './deprecation-policy.js';

/** The metadata key of an operation's policy. */
export const DEPRECATED = 'deprecated';

/** Finds the policy of a deprecated operation. */
@Injectable()
export class DeprecationRegistry {
  private policies?: ReadonlyMap<string, DeprecationPolicy>;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  /** Operation ids are the names of the handlers. */
  ofOperation(operationId: string): DeprecationPolicy | undefined {
    return (this.policies ??= this.collect()).get(operationId);
  }

  private collect(): ReadonlyMap<string, DeprecationPolicy> {
    const policies = new Map<string, DeprecationPolicy>();
    for (const { metatype } of this.discovery.getControllers()) {
      const handlers = metatype?.prototype as Record<string, () => unknown>;
      for (const name of this.scanner.getAllMethodNames(handlers)) {
        const policy = this.reflector.get<Type<DeprecationPolicy> | undefined>(DEPRECATED, handlers[name]!);
        if (policy) policies.set(name, this.modules.get(policy, { strict: false }));
      }
    }
    return policies;
  }
}
