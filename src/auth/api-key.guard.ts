import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import { countHeader } from '../common/http/raw-headers.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyStrategy, REALM } from './api-key.strategy.js';
import { PUBLIC } from './public.decorator.js';

declare module 'fastify' {
  interface FastifyRequest {
    user?: ApiKey;
  }
}

/** Lets a request pass with a valid API key only. It guards every route that is not marked public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard() {
  constructor(
    strategy: ApiKeyStrategy,
    private readonly reflector: Reflector,
  ) {
    // The strategy itself, not its name: names live in a registry that all applications of a process share.
    // Each request gets an object of its own, since passport writes the request's callbacks onto what it is
    // given: on a shared one, requests that are checked at the same time would take each other's outcome.
    super({
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
    });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    return super.canActivate(context) as Promise<boolean>;
  }

  override handleRequest<T>(
    failure: unknown,
    key: T | false,
    _challenge: unknown,
    context: ExecutionContext,
  ): T {
    const sent = countHeader(
      context.switchToHttp().getRequest<FastifyRequest>().raw.rawHeaders,
      'authorization',
    );
    if (failure)
      throw failure instanceof ApiError && failure.status === 401 ? withChallenge(failure) : failure;
    if (key && sent === 1) return key;
    throw withChallenge(
      sent === 0
        ? new ApiError('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
        : new ApiError('invalid_api_key', 'Send exactly one header "Authorization: Bearer <API_KEY>".'),
    );
  }
}

/** RFC 6750: the reason is named only when a credential was sent. */
function withChallenge(error: ApiError): ApiError {
  const reason = error.code === 'missing_api_key' ? '' : ', error="invalid_token"';
  return new ApiError(error.code, error.message, {
    ...error.headers,
    'www-authenticate': `Bearer realm="${REALM}"${reason}`,
  });
}
