import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { ApiExtension, ApiExtraModels, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Repeatable } from './idempotency/repeatable.js';
import { checkInput } from './input.pipe.js';
import { addToRoute } from './route-config.js';

/** The address under which Fastify knows the document, whose schemas serialise the answers. */
export const DOCUMENT = 'https://document.invalid/';

/** Opens a route to requests without a key. All other routes of controllers require one. */
export const Public = () => addToRoute({ isPublic: true });

/** The descriptions of the document's tags, by name: `ApiTags` takes no description. */
export const RESOURCES = new Map<string, string>();

/** Groups the operations of a controller under a tag with a description. */
export function Resource(name: string, description: string): ClassDecorator {
  RESOURCES.set(name, description);
  return ApiTags(name);
}

/** Marks an operation, or all of a controller, as one whose interface may still change. Unmarked ones are stable. */
export function InStage(stability: 'experimental' | 'beta'): ClassDecorator & MethodDecorator {
  return ApiExtension('x-stability', stability);
}

interface Answer {
  readonly type: Type;
  readonly description: string;
  readonly examples?: Record<string, { summary: string; value: unknown }>;
}

/** The schemas of lists, by name: @nestjs/swagger gives names to the schemas of classes only. */
export const LISTS: Record<string, object> = {};

/** Answers a GET with one resource. */
export function Fetched(answer: Answer): MethodDecorator {
  return applyDecorators(addToRoute({ answer: 'resource' }), answers(200, answer.type, answer));
}

/** Answers a GET with the items of a `Page` as a bare array, and a Link header. `name` is that of the array's schema. */
export function Paged({ name, type, ...answer }: Answer & { name: string }): MethodDecorator {
  LISTS[name] = { type: 'array', items: { $ref: getSchemaPath(type) } };
  const documented = { ...answer, schema: { $ref: getSchemaPath(name) } };
  return applyDecorators(ApiExtraModels(type), addToRoute({ answer: 'page' }), answers(200, name, documented));
}

/** Answers a POST with 201, and a Location if a GET one path segment further reads the created resource. */
export function Created(answer: Answer): MethodDecorator {
  return applyDecorators(Repeatable(), addToRoute({ answer: 'creation' }), answers(201, answer.type, answer));
}

/** Answers a PATCH, whose body is a JSON merge patch (RFC 7396), with the changed resource. */
export function Updated(answer: Answer): MethodDecorator {
  return applyDecorators(Repeatable(), Fetched(answer));
}

/** Answers a DELETE with 204 and no body. */
export function Deleted(answer: { description: string }): MethodDecorator {
  const documented = ApiResponse({ status: 204, ...answer });
  return applyDecorators(checkInput, HttpCode(204), Repeatable(), addToRoute({ answer: 'nothing' }), documented);
}

/** Fastify serialises by the schema, which keeps all digits of an int64 and leaves out members that are not documented. */
function answers(status: number, schema: string | Type, documented: object): MethodDecorator {
  const response = { [status]: { $ref: DOCUMENT + getSchemaPath(schema) } };
  return applyDecorators(checkInput, RouteSchema({ response }), ApiResponse({ status, ...documented }));
}
