import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { API_PREFIX } from '../../common/config.js';

// The objects of the OpenAPI specification. @nestjs/swagger exports only `OpenAPIObject`.
export type ComponentsObject = NonNullable<OpenAPIObject['components']>;
export type HeadersObject = NonNullable<ComponentsObject['headers']>;
export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;
export type ResponseObject = Exclude<NonNullable<OperationObject['responses'][string]>, { $ref: string }>;
export type SchemaObject = Exclude<NonNullable<ComponentsObject['schemas']>[string], { $ref: string }>;
/** Named examples of a request or response body. */
export type Examples = Record<string, { summary: string; value: unknown }>;

export interface Operation {
  /** Also the name of the handler. */
  readonly id: string;
  readonly method: string;
  /** The path in the router's notation: `/v1/pets/:petId` for `/pets/{petId}`. */
  readonly route: string;
  readonly operation: OperationObject;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const route = API_PREFIX + path.replace(/\{(\w+)\}/g, ':$1');
    return METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ id: operation.operationId!, method, route, operation }] : [];
    });
  });
}

/** What decorators have noted about the handlers of operations, by operation id. */
export function notesOf<T>(app: INestApplicationContext, key: string): Map<string, T> {
  const notes = new Map<string, T>();
  for (const { metatype } of app.get(DiscoveryService, { strict: false }).getControllers()) {
    const handlers = metatype?.prototype as Record<string, object>;
    for (const name of new MetadataScanner().getAllMethodNames(handlers)) {
      const note = Reflect.getMetadata(key, handlers[name]!) as T | undefined;
      if (note !== undefined) notes.set(name, note);
    }
  }
  return notes;
}

export function responsesOf(operation: OperationObject): [status: string, response: ResponseObject][] {
  return Object.entries(operation.responses) as [string, ResponseObject][];
}

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

export function headerRef(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
