import { type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { describe } from '@jest/globals';
import { Strategy } from 'passport-http-bearer';
import { itFinds } from '../../test/support/inside.js';

describe('internals of others that authentication relies on', () => {
  itFinds(
    'passport: a strategy instead of its name, and its callbacks on it',
    'src/auth/api-key.guard.ts',
    async () => {
      const strategy = new Strategy((_token, done) => done(null, { name: 'caller' }));
      const ofRequest = Object.create(strategy) as object;
      const request: Record<string, unknown> = { headers: { authorization: 'Bearer token' } };
      const context = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }) };
      const guard = new (AuthGuard())({ defaultStrategy: ofRequest as never, property: 'caller' });
      await guard.canActivate(context as ExecutionContext);
      const { name } = request['caller'] as { name: string };
      return name === 'caller' && Object.hasOwn(ofRequest, 'success') && !Object.hasOwn(strategy, 'success');
    },
  );

  itFinds('passport-http-bearer: authenticate() reads the headers', 'src/auth/api-key.strategy.ts', () => {
    let read = '';
    const strategy = new Strategy((token) => (read = token));
    strategy.authenticate({ headers: { authorization: 'Bearer token' } } as never);
    return read === 'token';
  });
});
