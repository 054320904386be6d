import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse } from '@nestjs/swagger';
import type { Examples } from '../document/openapi-types.js';
import { MERGE_PATCH, PLAIN_JSON } from '../media-types.js';

/** Answers a PATCH with 200 and the changed resource. The body is a JSON merge patch (RFC 7396), under either type. */
export function Updated(options: { type: Type; description: string; examples: Examples }): MethodDecorator {
  return applyDecorators(HttpCode(200), ApiConsumes(PLAIN_JSON, MERGE_PATCH), ApiOkResponse(options));
}
