import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiConsumes, ApiExtension, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { mediaTypesOf } from './body.js';
import { headerRef } from './document/operations.js';
import { Repeatable } from './idempotency/repeatable.js';

export const PUBLIC = 'public';

/** Opens a route to requests without a key. All other routes require one. */
export const Public = () => SetMetadata(PUBLIC, true);

/** The tags of the document, with their descriptions: `ApiTags` takes none. */
export const RESOURCES = new Map<string, string>();

/** Groups the operations of a controller under a tag with a description. */
export function Resource(name: string, description: string): ClassDecorator {
  RESOURCES.set(name, description);
  return ApiTags(name);
}

/** Marks an operation, or all of a controller, whose interface may still change. The others are stable. */
export function InStage(stability: 'experimental' | 'beta'): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', stability);
}

interface Answer {
  readonly type: Type;
  readonly description: string;
  readonly examples: Record<string, { summary: string; value: unknown }>;
}

/** The schemas of lists, by name: @nestjs/swagger names those of classes only. */
export const LISTS: Record<string, object> = {};

/** Answers the items of a `Page` as a bare array, whose schema gets the name, with a Link header. */
export function Paged({ name, type, ...answer }: Answer & { name: string }): MethodDecorator {
  LISTS[name] = { type: 'array', items: { $ref: getSchemaPath(type) } };
  const schema = { $ref: getSchemaPath(name) };
  const headers = { Link: headerRef('PageLinks') };
  return applyDecorators(ApiExtraModels(type), ApiResponse({ status: 200, ...answer, schema, headers }));
}

/** Answers a POST with 201. What reads the new resource, if anything, is one segment below: see `describeLocation`. */
export function Created(answer: Answer): MethodDecorator {
  return applyDecorators(Repeatable(), ApiResponse({ status: 201, ...answer }));
}

/** Answers a PATCH with the changed resource. The body is a JSON merge patch (RFC 7396), under either type. */
export function Updated(answer: Answer): MethodDecorator {
  return applyDecorators(Repeatable(), ApiConsumes(...mediaTypesOf('PATCH')), ApiResponse({ status: 200, ...answer }));
}

/** Answers a DELETE with 204 and no body. */
export function Deleted(answer: { description: string }): MethodDecorator {
  return applyDecorators(HttpCode(204), Repeatable(), ApiResponse({ status: 204, ...answer }));
}
