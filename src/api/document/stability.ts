import { ApiExtension } from '@nestjs/swagger';
import type { OperationObject } from './types.js';

/** How far an operation may still change. What carries no mark is stable, until it is deprecated. */
export type Stability = 'experimental' | 'beta' | 'stable' | 'deprecated';

/** Marks an operation whose interface is not settled. */
export function InStage(stability: Extract<Stability, 'experimental' | 'beta'>): MethodDecorator {
  return ApiExtension('x-stability', stability);
}

export function describeStability(operation: OperationObject): void {
  const marked = operation as { 'x-stability'?: Stability };
  if (operation.deprecated) marked['x-stability'] = 'deprecated';
  else marked['x-stability'] ??= 'stable';
}
