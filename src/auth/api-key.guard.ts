import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../api/error-catalogue.js';
import { ApiError } from '../api/errors.js';
import { PUBLIC } from '../api/public.decorator.js';
import { SERVICE_NAME } from '../common/config.js';
import { networkOf, RateLimits } from '../http/rate-limiter.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { KeysService } from './keys.service.js';

const SCHEME = 'Bearer ';

/** Requires a valid API key for every route that is not public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard() {
  constructor(
    strategy: ApiKeyStrategy,
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly keys: KeysService,
  ) {
    // Each request gets an object of its own: passport stores the callbacks of a request on the strategy, so with a shared
    // one, concurrent requests would get each other's result.
    super({
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
      property: 'caller',
    });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.hasKnownKey(request)) return true;
    const isPublic = this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]);
    return isPublic || this.authenticate(context, request);
  }

  /** Accepts a key from the cache without passport and without a promise. */
  private hasKnownKey(request: FastifyRequest): boolean {
    const token = tokenOf(request);
    const key = token === undefined ? undefined : this.keys.findKnown(token);
    if (!key || sentCredentials(request) > 1) return false;
    request.caller = key;
    return true;
  }

  /** Who has failed too often may not have another key looked up. Keys that have been valid are exempt. */
  private async authenticate(context: ExecutionContext, request: FastifyRequest): Promise<boolean> {
    const { authorization } = request.headers;
    const network = networkOf(request.ip);
    const isExempt = authorization === undefined || this.keys.hasSeen(tokenOf(request) ?? '');
    if (!isExempt) await this.limits.failures.check(network);
    try {
      return await (super.canActivate(context) as Promise<boolean>);
    } catch (error) {
      const isFailure = error instanceof ApiError && error.status === 401 && !isExempt;
      if (isFailure) await this.limits.failures.take(network);
      throw error;
    }
  }

  override handleRequest<T>(failure: unknown, key: T | false, _info: unknown, context: ExecutionContext): T {
    const sent = sentCredentials(context.switchToHttp().getRequest<FastifyRequest>());
    if (failure) throw failure instanceof ApiError && failure.status === 401 ? withChallenge(failure) : failure;
    if (key && sent === 1) return key;
    throw withChallenge(
      sent === 0
        ? new ApiError('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
        : new ApiError('invalid_api_key', 'Send exactly one header "Authorization: Bearer <API_KEY>".'),
    );
  }
}

function tokenOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization?.startsWith(SCHEME) ? authorization.slice(SCHEME.length) : undefined;
}

/** Node.js drops further ones from `headers`. */
function sentCredentials({ raw: { rawHeaders } }: FastifyRequest): number {
  let sent = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'authorization') sent++;
  return sent;
}

/** RFC 6750 names an error only when a credential was sent. */
function withChallenge({ code, message }: ApiError): ApiError {
  const reason = code === 'missing_api_key' ? '' : ', error="invalid_token"';
  return new ApiError(code as ErrorCode, message, {
    'www-authenticate': `Bearer realm="${SERVICE_NAME}"${reason}`,
  });
}
