import { describe } from '@jest/globals';
import { InterceptorsConsumer } from '@nestjs/core/interceptors/interceptors-consumer.js';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { itFinds } from '../../../test/support/inside.js';

describe('internals of others that responses rely on', () => {
  itFinds(
    'Nest: RouterExecutionContext.create() and its parts for interceptors',
    'src/api/responses/repeatable-routes.ts',
    () => {
      const [creator, consumer] = [{}, {}];
      const parts = [{}, {}, {}, {}, {}, creator, consumer, {}];
      const context = new (RouterExecutionContext as new (...parts: unknown[]) => object)(...parts);
      const { interceptorsContextCreator, interceptorsConsumer } = context as Record<string, unknown>;
      return (
        interceptorsContextCreator === creator &&
        interceptorsConsumer === consumer &&
        typeof InterceptorsConsumer.prototype.intercept === 'function' &&
        typeof RouterExecutionContext.prototype.create === 'function'
      );
    },
  );

  itFinds(
    'Nest: the methods of RouterExecutionContext that make the steps of a handler',
    'src/api/responses/synchronous-steps.ts',
    () => {
      const inside = RouterExecutionContext.prototype as unknown as Record<string, unknown>;
      return [
        'createGuardsFn',
        'createPipesFn',
        'createHandleResponseFn',
        'isPipeable',
        'reflectRenderTemplate',
        'reflectSse',
      ].every((name) => typeof inside[name] === 'function');
    },
  );
});
