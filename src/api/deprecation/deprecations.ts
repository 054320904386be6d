import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModuleRef, Reflector } from '@nestjs/core';
import type { DeprecationPolicy } from './deprecation-policy.js';

/** Where the decorator leaves an operation's policy. */
export const DEPRECATED = 'deprecated';

/** Knows the policy of every deprecated operation, by the operation's handler or by its name. */
@Injectable()
export class Deprecations {
  private readonly found = new Map<unknown, DeprecationPolicy | undefined>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  ofHandler(handler: () => unknown): DeprecationPolicy | undefined {
    if (!this.found.has(handler)) this.found.set(handler, this.lookUp(handler));
    return this.found.get(handler);
  }

  /** Operation ids are the names of the handlers. */
  ofOperation(operationId: string): DeprecationPolicy | undefined {
    if (!this.found.has(operationId)) {
      const handler = this.discovery
        .getControllers()
        .map(({ metatype }) => metatype?.prototype as Record<string, () => unknown> | undefined)
        .filter(
          (controller) => controller && this.scanner.getAllMethodNames(controller).includes(operationId),
        )
        .map((controller) => controller?.[operationId])
        .at(0);
      this.found.set(operationId, handler && this.ofHandler(handler));
    }
    return this.found.get(operationId);
  }

  private lookUp(handler: () => unknown): DeprecationPolicy | undefined {
    const policy = this.reflector.get<Type<DeprecationPolicy> | undefined>(DEPRECATED, handler);
    return policy && this.modules.get(policy, { strict: false });
  }
}
