import type { NestInterceptor } from '@nestjs/common';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObservable, lastValueFrom } from 'rxjs';
import { KEY_HEADER } from './idempotency-key.js';
import { RepeatableInterceptor } from './repeatable.decorator.js';
import { synchronousSteps } from './synchronous-steps.js';

type Arguments = [FastifyRequest, FastifyReply];
type Intercept = (interceptors: unknown[], args: Arguments, ...about: unknown[]) => Promise<unknown>;
type Create = (this: Context, ...about: unknown[]) => unknown;
interface Context {
  interceptorsContextCreator: { create(...about: unknown[]): NestInterceptor[] };
}

const NAME = KEY_HEADER.toLowerCase();
const prototype = RouterExecutionContext.prototype as unknown as { create: Create };
const { create } = prototype;

/**
 * Calls the interceptor of repeatable operations directly, as what Nest does around one costs a fifth of a create. Call it
 * before routes are registered.
 */
export function serveRepeatableRoutes(): void {
  prototype.create = function (this: Context, ...about: unknown[]): unknown {
    const { interceptorsContextCreator } = this;
    let repeatable: RepeatableInterceptor | undefined;
    const others = (...of: unknown[]): NestInterceptor[] => {
      const all = interceptorsContextCreator.create(...of);
      repeatable = all.find((one) => one instanceof RepeatableInterceptor);
      return all.filter((one) => one !== repeatable);
    };
    const steps = synchronousSteps(this as unknown as RouterExecutionContext);
    const { intercept: plain } = steps.interceptorsConsumer.value as { intercept: Intercept };
    const intercept: Intercept = (interceptors, args, ...rest) => {
      const [request, reply] = args;
      const run = (): Promise<unknown> => plain(interceptors, args, ...rest);
      if (!repeatable || request.headers[NAME] === undefined) return run();
      return repeatable.keyed.answer(request, reply, async () => {
        const result = await run();
        return isObservable(result) ? lastValueFrom(result) : result;
      });
    };
    const context = Object.create(this, {
      ...steps,
      interceptorsContextCreator: { value: { create: others } },
      interceptorsConsumer: { value: { intercept } },
    }) as Context;
    return create.apply(context, about);
  };
}
