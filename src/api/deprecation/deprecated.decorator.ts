import { applyDecorators, SetMetadata, type Type, UseGuards } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { DeprecationPolicy } from './deprecation-policy.js';
import { DEPRECATED } from './deprecations.js';
import { SunsetGuard } from './sunset.guard.js';

/** Puts an operation under a policy: from here on its headers, its end and its documentation follow. */
export function Deprecated(policy: Type<DeprecationPolicy>): MethodDecorator {
  return applyDecorators(
    SetMetadata(DEPRECATED, policy),
    UseGuards(SunsetGuard),
    ApiOperation({ deprecated: true }),
  );
}
