import type { NestInterceptor } from '@nestjs/common';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { KEY_HEADER } from './idempotency-key.js';
import { RepeatableInterceptor } from './repeatable.decorator.js';

type Handler = (request: { headers: Record<string, unknown> }, ...rest: unknown[]) => Promise<void>;
type Create = (this: Context, ...args: unknown[]) => Handler;
interface Context {
  interceptorsContextCreator: { create(...args: unknown[]): NestInterceptor[] };
}

const NAME = KEY_HEADER.toLowerCase();
const prototype = RouterExecutionContext.prototype as unknown as { create: Create };
const { create } = prototype;

/**
 * Makes requests without an Idempotency-Key skip the interceptor: what Nest does around one costs a fifth of a create.
 * Call it before routes are registered.
 */
export function skipInterceptorWithoutKey(): void {
  prototype.create = function (this: Context, ...args: unknown[]): Handler {
    const { interceptorsContextCreator } = this;
    let isRepeatable = false;
    const others = (...about: unknown[]): NestInterceptor[] => {
      const all = interceptorsContextCreator.create(...about);
      const rest = all.filter((one) => !(one instanceof RepeatableInterceptor));
      isRepeatable = rest.length < all.length;
      return rest;
    };
    const context = Object.create(this, {
      interceptorsContextCreator: { value: { create: others } },
    }) as Context;
    const plain = create.apply(context, args);
    if (!isRepeatable) return plain;
    const keyed = create.apply(this, args);
    return (request, ...rest) => (request.headers[NAME] === undefined ? plain : keyed)(request, ...rest);
  };
}
