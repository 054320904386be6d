import type { ArgumentMetadata, CanActivate, NestInterceptor, PipeTransform } from '@nestjs/common';
import type { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { isStreamingBody } from '@nestjs/core/router/streaming-body.js';
import type { FastifyReply } from 'fastify';
import { isObservable } from 'rxjs';

interface Parameter {
  readonly index: number;
  readonly extractValue: (...args: unknown[]) => unknown;
  readonly type: number;
  readonly data: unknown;
  readonly metatype: unknown;
  readonly pipes: PipeTransform[];
  readonly schema: unknown;
}

type Step = (...args: unknown[]) => unknown;
type MakeStep = (this: Context, ...args: never[]) => Step | null;

/** The parts of Nest's class that its types hide. */
interface Context {
  readonly guardsConsumer: {
    createContext(
      ...args: unknown[]
    ): Parameters<CanActivate['canActivate']>[0] & { setType(type: string): void };
  };
  readonly pipesConsumer: { readonly paramsTokenFactory: { exchangeEnumForString(type: number): string } };
  readonly interceptorsConsumer: { intercept(interceptors: NestInterceptor[], ...rest: unknown[]): unknown };
  readonly responseController: { readonly applicationRef: { reply(reply: unknown, body: unknown): unknown } };
  createGuardsFn: MakeStep;
  createPipesFn: MakeStep;
  createHandleResponseFn: MakeStep;
  isPipeable(type: number): boolean;
  reflectRenderTemplate(handler: unknown): unknown;
  reflectSse(handler: unknown): unknown;
}

/**
 * Steps of Nest's pipeline that make no promise for what is at hand: guards and pipes that answer at once, no interceptor,
 * a plain body. Everything else goes through Nest's own steps, in Nest's order. Several promises per step are a tenth of
 * a request.
 */
export function synchronousSteps(given: RouterExecutionContext) {
  const nest = given as unknown as Context;
  return {
    createGuardsFn: { value: guardsOf(nest) },
    createPipesFn: { value: pipesOf(nest) },
    interceptorsConsumer: {
      value: {
        intercept: (
          interceptors: NestInterceptor[],
          args: unknown,
          instance: unknown,
          handler: unknown,
          next: () => unknown,
          type: unknown,
        ) =>
          interceptors.length === 0
            ? next()
            : nest.interceptorsConsumer.intercept(interceptors, args, instance, handler, next, type),
      },
    },
    createHandleResponseFn: { value: responseOf(nest) },
  };
}

const guardsOf =
  (nest: Context) => (guards: CanActivate[], instance: object, handler: unknown, type: string) => {
    if (guards.length === 0) return null;
    return (args: unknown[]): unknown => {
      const context = nest.guardsConsumer.createContext(args, instance, handler);
      context.setType(type);
      for (let i = 0; i < guards.length; i++) {
        const allowed = (guards[i] as CanActivate).canActivate(context);
        if (allowed === true) continue;
        const others = [{ canActivate: () => allowed }, ...guards.slice(i + 1)];
        return nest.createGuardsFn(...([others, instance, handler, type] as never[]))?.(args);
      }
      return undefined;
    };
  };

const pipesOf = (nest: Context) => (global: PipeTransform[], parameters: Parameter[]) => {
  if (parameters.length === 0) return null;
  const steps = parameters.map(({ type, data, metatype, schema, ...parameter }) => ({
    ...parameter,
    isPipeable: nest.isPipeable(type),
    pipes: nest.isPipeable(type) ? [...global, ...parameter.pipes] : [],
    metadata: {
      type: nest.pipesConsumer.paramsTokenFactory.exchangeEnumForString(type),
      data,
      metatype,
      schema,
    } as ArgumentMetadata,
  }));
  return (args: unknown[], request: unknown, reply: unknown, next: unknown): unknown => {
    let pending: Promise<void>[] | undefined;
    for (const { index, extractValue, isPipeable, pipes, metadata } of steps) {
      try {
        let value = extractValue(request, reply, next);
        for (const pipe of pipes)
          value = isThenable(value)
            ? value.then((settled) => pipe.transform(settled, metadata))
            : pipe.transform(value, metadata);
        if (isPipeable && isThenable(value))
          (pending ??= []).push(value.then((settled) => void (args[index] = settled)));
        else args[index] = value;
      } catch (error) {
        (pending ??= []).push(Promise.reject(error));
      }
    }
    return pending && Promise.all(pending);
  };
};

const responseOf = (nest: Context) =>
  function (this: Context, ...about: unknown[]): Step | null {
    const respond = nest.createHandleResponseFn.apply(this, about as never[]) as Step;
    const [handler, isAnswered, redirection] = about;
    if (isAnswered || redirection || nest.reflectRenderTemplate(handler) || nest.reflectSse(handler))
      return respond;
    const { applicationRef } = nest.responseController;
    return (body, reply, request, observable, streams) => {
      const hasStreams = streams !== undefined && (streams as unknown[]).length > 0;
      if (hasStreams || isObservable(body) || isStreamingBody(body))
        return respond(body, reply, request, observable, streams);
      applicationRef.reply(reply, body);
      return (reply as FastifyReply).sent ? undefined : reply;
    };
  };

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null | undefined)?.then === 'function';
}
