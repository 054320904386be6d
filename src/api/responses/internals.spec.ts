import { describe } from '@jest/globals';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import { itFinds } from '../../../test/support/inside.js';

describe('internals of others that responses rely on', () => {
  itFinds(
    'Nest: RouterExecutionContext.create() and its interceptorsContextCreator',
    'src/api/responses/skip-without-key.ts',
    () => {
      const creator = {};
      const parts = [{}, {}, {}, {}, {}, creator, {}, {}];
      const context = new (RouterExecutionContext as new (...parts: unknown[]) => object)(...parts);
      return (
        (context as { interceptorsContextCreator?: unknown }).interceptorsContextCreator === creator &&
        typeof RouterExecutionContext.prototype.create === 'function'
      );
    },
  );
});
