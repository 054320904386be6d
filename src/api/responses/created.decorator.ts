import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiCreatedResponse } from '@nestjs/swagger';
import { Config } from '../../common/config/config.js';
import { DeprecationRegistry } from '../deprecation/deprecation-registry.js';
import { headerRef } from '../document/operations.js';
import type { Examples } from '../document/openapi-types.js';
import { Repeatable } from './repeatable.decorator.js';
import { type ResponseTransformFactory, TransformResponse } from './transform-response.decorator.js';

interface Creation<T> {
  type: Type<T>;
  description: string;
  examples: Examples;
}

interface Reading<T> {
  /** The path of the new resource. */
  at: (created: T) => string;
  /** The operation that reads it, and its path parameter. */
  readBy: string;
  parameter: string;
}

type NoReading = { readonly [Member in keyof Reading<never>]?: never };

/**
 * Answers 201. If an operation reads the resource, a Location header leads to it until the sunset of that operation.
 */
export function Created<T>({
  at,
  readBy,
  parameter,
  ...documented
}: Creation<T> & (Reading<T> | NoReading)): MethodDecorator {
  const basic = [HttpCode(201), Repeatable()];
  if (!at) return applyDecorators(...basic, ApiCreatedResponse(documented));
  return applyDecorators(
    ...basic,
    TransformResponse(withLocation(at, readBy)),
    ApiCreatedResponse({
      ...documented,
      headers: { Location: headerRef('Location') as never },
      links: { [readBy]: { operationId: readBy, parameters: { [parameter]: '$response.body#/id' } } },
    }),
  );
}

function withLocation<T>(at: (created: T) => string, readBy: string): ResponseTransformFactory<T> {
  return (app) => {
    const { apiBase } = app.get(Config);
    const policy = app.get(DeprecationRegistry).ofOperation(readBy);
    return (created, _request, reply) => {
      if (!policy?.isOver()) void reply.header('location', `${apiBase}${at(created)}`);
      return created;
    };
  };
}
