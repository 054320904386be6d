import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { DeprecationPolicy } from './deprecation-policy.js';

export const DEPRECATED = 'deprecated';

/** Puts an operation under a policy: from here on its headers, its end and its documentation follow. */
export function Deprecated(policy: Type<DeprecationPolicy>): MethodDecorator {
  return applyDecorators(SetMetadata(DEPRECATED, policy), ApiOperation({ deprecated: true }));
}
