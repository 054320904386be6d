import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

/** Reads what decorators have noted about operations. */
@Injectable()
export class OperationHandlers {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** The metadata of each operation that has it. Operation ids are the names of the handlers. */
  metadata<T>(key: string): Map<string, T> {
    const found = new Map<string, T>();
    for (const { metatype } of this.discovery.getControllers()) {
      const handlers = metatype?.prototype as Record<string, () => unknown>;
      for (const name of this.scanner.getAllMethodNames(handlers)) {
        const value = this.reflector.get<T | undefined>(key, handlers[name]!);
        if (value !== undefined) found.set(name, value);
      }
    }
    return found;
  }
}
