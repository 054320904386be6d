import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../api/errors/api-error.js';
import type { ErrorCode } from '../api/errors/error-catalogue.js';
import { SERVICE_NAME } from '../common/contract.js';
import { requestOf } from '../common/exchange.js';
import { countHeader } from '../edge/http/raw-headers.js';
import { requireShares } from '../edge/in-flight-requests.js';
import { LoadMonitor } from '../edge/load-monitor.js';
import { LookUpShares } from '../edge/look-up-shares.js';
import { clientOf } from '../rate-limit/network-of.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { FailedCredentials } from './failed-credentials.js';
import { KeysService } from './keys.service.js';
import { PUBLIC } from '../api/public.decorator.js';

const SCHEME = 'Bearer ';
/** Look-ups of unknown keys at once. They share statements. */
const UNKNOWN_AT_ONCE = 64;

/** Requires a valid API key for every route that is not public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard() {
  private readonly publicHandlers = new Map<unknown, boolean>();
  private readonly failures: FailedCredentials;
  private readonly lookUps: LookUpShares;

  constructor(
    strategy: ApiKeyStrategy,
    private readonly reflector: Reflector,
    limits: RateLimits,
    private readonly keys: KeysService,
    private readonly load: LoadMonitor,
  ) {
    // The strategy itself: its name would be resolved in a registry that all applications of a process share. Each request
    // gets its own object, because passport stores the callbacks of a request on it: with a shared one, concurrent
    // requests would get each other's result.
    super({
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
      property: 'caller',
    });
    this.failures = new FailedCredentials(limits.failures);
    this.lookUps = new LookUpShares(load, UNKNOWN_AT_ONCE);
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.isPublic(context) || this.hasCachedKey(requestOf(context))) return true;
    return this.authenticate(context);
  }

  private isPublic(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let found = this.publicHandlers.get(handler);
    if (found === undefined) {
      found = this.reflector.getAllAndOverride<boolean>(PUBLIC, [handler, context.getClass()]) ?? false;
      this.publicHandlers.set(handler, found);
    }
    return found;
  }

  /** Accepts a key from the cache without passport and without a promise. */
  private hasCachedKey(request: FastifyRequest): boolean {
    const { authorization } = request.headers;
    if (!authorization?.startsWith(SCHEME) || countHeader(request.raw.rawHeaders, 'authorization') > 1) {
      return false;
    }
    const key = this.keys.findCached(authorization.slice(SCHEME.length));
    if (!key) return false;
    request.caller = key;
    return true;
  }

  private async authenticate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    this.limitFailures(request);
    const { authorization = '' } = request.headers;
    const key = authorization.slice(SCHEME.length);
    if (this.keys.isUnknown(key))
      return this.lookUps.run(clientOf(request), key, () => this.verify(context, request, true));
    const load = this.keys.lastLoadOf(key);
    // Many requests may wait for the same look-up.
    if (load) requireShares(request, load, this.load);
    return this.verify(context, request, false);
  }

  private async verify(
    context: ExecutionContext,
    request: FastifyRequest,
    isLookedUp: boolean,
  ): Promise<boolean> {
    try {
      return await (super.canActivate(context) as Promise<boolean>);
    } catch (error) {
      if (isFailedCredential(error)) await this.failures.count(clientOf(request), isLookedUp);
      throw error;
    }
  }

  /** Keys that this process has seen are exempt. */
  private limitFailures(request: FastifyRequest): void {
    const { authorization } = request.headers;
    if (authorization === undefined || this.keys.hasSeen(authorization.slice(SCHEME.length))) return;
    this.failures.limit(clientOf(request));
  }

  override handleRequest<T>(
    failure: unknown,
    key: T | false,
    _challenge: unknown,
    context: ExecutionContext,
  ): T {
    const sent = countHeader(requestOf(context).raw.rawHeaders, 'authorization');
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

/** RFC 6750 names an error only when a credential was sent. */
function withChallenge(error: ApiError): ApiError {
  const reason = error.code === 'missing_api_key' ? '' : ', error="invalid_token"';
  return new ApiError(error.code as ErrorCode, error.message, {
    ...error.headers,
    'www-authenticate': `Bearer realm="${SERVICE_NAME}"${reason}`,
  });
}

/** A request without a credential is not an attempt. */
function isFailedCredential(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code !== 'missing_api_key';
}
