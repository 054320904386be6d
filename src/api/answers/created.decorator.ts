import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiCreatedResponse } from '@nestjs/swagger';
import { Config } from '../../common/config/config.js';
import { Deprecations } from '../deprecation/deprecations.js';
import { headerRef } from '../document/operations.js';
import type { Examples } from '../document/types.js';
import { Answered, type AnswerFactory } from './answered.decorator.js';

interface Creation<T> {
  type: Type<T>;
  description: string;
  examples: Examples;
  /** The path of what was created, and the operation that reads it, with the name of its path parameter. */
  at: (created: T) => string;
  readBy: string;
  parameter: string;
}

/** Answers 201 with a Location, for as long as the operation that reads it lives. */
export function Created<T>({
  type,
  description,
  examples,
  at,
  readBy,
  parameter,
}: Creation<T>): MethodDecorator {
  return applyDecorators(
    HttpCode(201),
    Answered(withLocation(at, readBy)),
    ApiCreatedResponse({
      type,
      description,
      examples,
      headers: { Location: headerRef('Location') as never },
      links: { [readBy]: { operationId: readBy, parameters: { [parameter]: '$response.body#/id' } } },
    }),
  );
}

function withLocation<T>(at: (created: T) => string, readBy: string): AnswerFactory<T> {
  return (app) => {
    const { apiBase } = app.get(Config);
    const policy = app.get(Deprecations).ofOperation(readBy);
    return (created, _request, reply) => {
      if (!policy?.isOver()) void reply.header('location', `${apiBase}${at(created)}`);
      return created;
    };
  };
}
