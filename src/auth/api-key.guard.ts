import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { ApiError } from '../api/errors.js';
import { SERVICE_NAME } from '../common/config.js';
import { addressOf, networkOf, RateLimits } from '../http/rate-limiter.js';
import type { ApiKey } from './api-key.entity.js';
import { KeyVerifier, unauthorized } from './key-verifier.js';

const UNTRUSTED = 'X-Forwarded-For is ignored. If a proxy of yours sends it, add its address to TRUSTED_PROXIES.';
const BEARER = /^Bearer ([^ ]+)$/i;
const READ_ONLY = { 'www-authenticate': `Bearer realm="${SERVICE_NAME}", error="insufficient_scope"` }; // RFC 6750

/** Passport registers a strategy for all applications of a process, so this one takes its verifier from the request. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  validate({ verifier }: { verifier: KeyVerifier }, token: string): Promise<ApiKey> {
    return verifier.verify(token);
  }
}

/** Requires a valid API key for every route that is not public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('bearer') {
  private hasWarned = false;

  constructor(
    private readonly limits: RateLimits,
    private readonly verifier: KeyVerifier,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.routeOptions.config.isPublic) return true;
    const { authorization } = request.headers;
    if (authorization === undefined)
      throw unauthorized('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".');
    const [, token = ''] = BEARER.exec(authorization) ?? []; // several headers arrive joined: no match
    // A key from the cache needs neither passport nor a promise.
    request.caller = this.verifier.findKnown(token);
    if (request.caller) return true;
    // Only keys that were not found before count as failures. Repeating an expired key, or a text that cannot be a key, is no
    // guessing: counted, it would use up the attempts of other clients behind the same address.
    if (!this.verifier.isNew(token)) return super.canActivate(context) as Promise<boolean>;
    // The clients of a proxy that is not trusted share its address, and so one limit.
    const isIgnored = request.headers['x-forwarded-for'] !== undefined && !request.ips?.[1];
    if (isIgnored && !this.hasWarned) new Logger('Proxy').warn(UNTRUSTED);
    this.hasWarned ||= isIgnored;
    return this.attempt(context, networkOf(addressOf(request)));
  }

  /** Looks up a key, unless its network is beyond the limit of failures. */
  private async attempt(context: ExecutionContext, network: string): Promise<boolean> {
    await this.limits.countFailures(network, 0);
    try {
      return await (super.canActivate(context) as Promise<boolean>);
    } catch (error) {
      if (error instanceof ApiError) await this.limits.countFailures(network, 1);
      throw error;
    }
  }

  /** Passport gets the headers only, because it would also take a key from the query or the body. */
  override getRequest(context: ExecutionContext) {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    return { headers, verifier: this.verifier };
  }

  override handleRequest<T extends ApiKey>(error: unknown, key: T | false, _: unknown, context: ExecutionContext): T {
    if (error) throw error;
    if (!key)
      throw unauthorized('invalid_api_key', 'Send one Authorization header: the word Bearer, a space, and the key.');
    context.switchToHttp().getRequest<FastifyRequest>().caller = key;
    return key;
  }
}

/** Refuses changes with a key that may only read. Guards do not run for OPTIONS. */
export const readOnlyKeyGuard: CanActivate = {
  canActivate(context) {
    const { caller, method } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller?.readOnly || method === 'GET' || method === 'HEAD') return true;
    throw new ApiError('read_only_key', 'This API key may only read. Ask for one that may change things.', READ_ONLY);
  },
};
