import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { ApiError } from '../api/errors.js';
import { PUBLIC } from '../api/public.decorator.js';
import { countHeader } from '../http/malformed-http.js';
import { networkOf, RateLimits } from '../http/rate-limiter.js';
import type { ApiKey } from './api-key.entity.js';
import { KeyVerifier, unauthorized } from './key-verifier.js';

const SCHEME = 'Bearer ';

/** Takes the token from the Authorization header. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy) {
  constructor(private readonly verifier: KeyVerifier) {
    super();
  }

  /** Passes on the headers only. The strategy would also accept keys from the query and the body. */
  override authenticate({ headers }: { headers: IncomingHttpHeaders }): void {
    super.authenticate({ headers } as never);
  }

  validate(token: string): Promise<ApiKey> {
    return this.verifier.verify(token);
  }
}

/** Requires a valid API key for every route that is not public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard() {
  /** By credential: requests with the same one at once, as after a restart, are one attempt. */
  private readonly attempts = new Map<string, Promise<void>>();

  constructor(
    strategy: ApiKeyStrategy,
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly verifier: KeyVerifier,
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
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    // A key from the cache needs neither passport nor a promise.
    if (sentCredentials(request) === 1) request.caller = this.verifier.findKnown(tokenOf(request)) ?? null;
    if (request.caller) return true;
    const { authorization } = request.headers;
    // Keys that have been valid are exempt from the limit of failures.
    if (authorization === undefined || this.verifier.hasSeen(tokenOf(request))) return this.authenticate(context);
    return this.attempt(context, networkOf(request.ip), authorization);
  }

  private authenticate(context: ExecutionContext): Promise<boolean> {
    return super.canActivate(context) as Promise<boolean>;
  }

  /** Counted before the key is looked up, and given back unless the key is refused. */
  private async attempt(context: ExecutionContext, network: string, credential: string): Promise<boolean> {
    const { failures } = this.limits;
    const shared = this.attempts.get(credential);
    const counted = shared ?? failures.take(network);
    this.attempts.set(credential, counted);
    let problem: unknown;
    try {
      await counted;
      return await this.authenticate(context);
    } catch (error) {
      throw (problem = error);
    } finally {
      if (!shared) this.attempts.delete(credential);
      if (!shared && !(problem instanceof ApiError)) await failures.giveBack(network);
    }
  }

  override handleRequest<T>(failure: unknown, key: T | false, _info: unknown, context: ExecutionContext): T {
    if (failure) throw failure;
    const sent = sentCredentials(context.switchToHttp().getRequest<FastifyRequest>());
    if (key && sent === 1) return key;
    throw sent === 0
      ? unauthorized('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
      : unauthorized('invalid_api_key', 'Send one Authorization header: the word Bearer, a space, and the key.');
  }
}

function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return authorization.startsWith(SCHEME) ? authorization.slice(SCHEME.length) : '';
}

const sentCredentials = ({ raw }: FastifyRequest): number => countHeader(raw.rawHeaders, 'authorization');
