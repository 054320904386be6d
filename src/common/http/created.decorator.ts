import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  HttpCode,
  Injectable,
  mixin,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiCreatedResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';
import { Config } from '../config/config.js';
import { Deprecations } from '../deprecation/deprecations.js';
import { headerRef } from '../openapi/operations.js';
import type { Examples } from '../openapi/types.js';

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
    UseInterceptors(locationInterceptor(at, readBy)),
    ApiCreatedResponse({
      type,
      description,
      examples,
      headers: { Location: headerRef('Location') as never },
      links: { [readBy]: { operationId: readBy, parameters: { [parameter]: '$response.body#/id' } } },
    }),
  );
}

function locationInterceptor(at: (created: never) => string, readBy: string): Type<NestInterceptor> {
  @Injectable()
  class LocationInterceptor implements NestInterceptor {
    constructor(
      private readonly config: Config,
      private readonly deprecations: Deprecations,
    ) {}

    intercept(context: ExecutionContext, next: CallHandler<never>): Observable<never> {
      return next.handle().pipe(
        tap((created) => {
          if (this.deprecations.ofOperation(readBy)?.isOver()) return;
          const reply = context.switchToHttp().getResponse<FastifyReply>();
          void reply.header('location', `${this.config.apiBase}${at(created)}`);
        }),
      );
    }
  }
  return mixin(LocationInterceptor);
}
