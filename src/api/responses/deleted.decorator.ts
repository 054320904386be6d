import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiNoContentResponse } from '@nestjs/swagger';

/** Answers a DELETE with 204 and no body. */
export function Deleted(options: { description: string }): MethodDecorator {
  return applyDecorators(HttpCode(204), ApiNoContentResponse(options));
}
