import { applyDecorators, SetMetadata, type Type, UseGuards } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { DeprecationPolicy } from './deprecation-policy.js';
import { DEPRECATED } from './deprecation-registry.js';
import { SunsetGuard } from './sunset.guard.js';

/** Deprecates an operation. The policy determines its headers, its sunset and its documentation. */
export function Deprecated(policy: Type<DeprecationPolicy>): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATED, policy),
    UseGuards(SunsetGuard),
    ApiOperation({ deprecated: true }),
  );
}
