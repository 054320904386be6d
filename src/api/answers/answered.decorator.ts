import { RouteConfig } from '@nestjs/platform-fastify';
import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Makes an answer of what a handler returned: sets its headers, and returns its body. */
export type Answer<T> = (returned: T, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Makes the above once the application is there, with what it provides. */
export type AnswerFactory<T> = (app: INestApplicationContext) => Answer<T>;

declare module 'fastify' {
  interface FastifyContextConfig {
    answer?: AnswerFactory<never>;
  }
}

/** Says how the answers of an operation are made. An interceptor could too, at ten times the cost for each request. */
export function Answered<T>(answer: AnswerFactory<T>): MethodDecorator {
  return RouteConfig({ answer });
}

/** Lets routes make their answers as they say. Call it before routes are registered. */
export function makeAnswers(app: INestApplicationContext, instance: FastifyInstance): void {
  instance.addHook('onRoute', (route) => {
    const factory = route.config?.answer;
    if (!factory) return;
    let answer: Answer<never> | undefined;
    route.preSerialization = (request, reply, returned, done) => {
      answer ??= factory(app);
      done(null, answer(returned as never, request, reply));
    };
  });
}
