import { ApiExtension } from '@nestjs/swagger';
import type { OperationObject } from './openapi-types.js';

/** How much an operation may still change. The default is stable. */
export type Stability = 'experimental' | 'beta' | 'stable' | 'deprecated';

/** Marks an operation whose interface may still change. */
export function InStage(stability: Extract<Stability, 'experimental' | 'beta'>): MethodDecorator {
  return ApiExtension('x-stability', stability);
}

export function describeStability(operation: OperationObject): void {
  const marked = operation as { 'x-stability'?: Stability };
  if (operation.deprecated) marked['x-stability'] = 'deprecated';
  else marked['x-stability'] ??= 'stable';
}
