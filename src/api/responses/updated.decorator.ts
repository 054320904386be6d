import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse } from '@nestjs/swagger';
import type { Examples } from '../document/openapi-types.js';
import { MERGE_PATCH, PLAIN_JSON } from '../media-types.js';
import { NotFoundFirst, type Lookup } from './not-found-first.decorator.js';
import { Repeatable } from './repeatable.decorator.js';

interface Update<P extends object, S> extends Lookup<P, S> {
  type: Type;
  description: string;
  examples: Examples;
}

/**
 * Answers a PATCH with 200 and the changed resource, and with 404 rather than 400 if there is none. The body is a JSON
 * merge patch (RFC 7396), under either type.
 */
export function Updated<P extends object, S>({
  type,
  description,
  examples,
  ...lookup
}: Update<P, S>): MethodDecorator {
  return applyDecorators(
    HttpCode(200),
    Repeatable(),
    ApiConsumes(PLAIN_JSON, MERGE_PATCH),
    ApiOkResponse({ type, description, examples }),
    NotFoundFirst(lookup),
  );
}
