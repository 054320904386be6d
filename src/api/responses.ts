import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse } from '@nestjs/swagger';
import { MERGE_PATCH, PLAIN_JSON } from './body.js';
import { type Examples, headerRef } from './document/operations.js';
import { Repeatable } from './idempotency/repeatable.js';

interface Answer {
  readonly type: Type;
  readonly description: string;
  readonly examples: Examples;
}

interface Creation extends Answer {
  /** The operation that reads the new resource, and the parameter for its id. */
  readonly readBy: string;
  readonly parameter: string;
}

/** Answers a POST with 201, and with a Location header until the sunset of the operation that it leads to. */
export function Created({ readBy, parameter, ...answer }: Creation): MethodDecorator {
  return applyDecorators(
    Repeatable(),
    ApiCreatedResponse({
      ...answer,
      headers: { Location: headerRef('Location') as never },
      links: { [readBy]: { operationId: readBy, parameters: { [parameter]: '$response.body#/id' } } },
    }),
  );
}

/** Answers a PATCH with the changed resource. The body is a JSON merge patch (RFC 7396), under either type. */
export function Updated(answer: Answer): MethodDecorator {
  return applyDecorators(Repeatable(), ApiConsumes(PLAIN_JSON, MERGE_PATCH), ApiOkResponse(answer));
}

/** Answers a DELETE with 204 and no body. */
export function Deleted(answer: { description: string }): MethodDecorator {
  return applyDecorators(HttpCode(204), Repeatable(), ApiNoContentResponse(answer));
}
