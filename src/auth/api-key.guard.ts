import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { ApiError } from '../api/errors.js';
import { PUBLIC } from '../api/public.decorator.js';
import { countHeader } from '../common/headers.js';
import { networkOf, RateLimits } from '../http/rate-limiter.js';
import type { ApiKey } from './api-key.entity.js';
import { KeyVerifier, unauthorized } from './key-verifier.js';

const BEARER = /^Bearer ([^ ]+)$/i;

/** What passport sees of a request. The strategy would also accept keys from the query and the body. */
type Credentials = Pick<FastifyRequest, 'headers'> & { readonly verifier: KeyVerifier };

/** Takes the token from the Authorization header. The process has one, whatever the number of its applications. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  validate({ verifier }: Credentials, token: string): Promise<ApiKey> {
    return verifier.verify(token);
  }
}

/** Requires a valid API key for every route that is not public. */
@Injectable()
export class ApiKeyGuard extends AuthGuard('bearer') {
  /** By credential: requests with the same one at once, as after a restart, are one attempt. */
  private readonly attempts = new Map<string, Promise<void>>();

  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly verifier: KeyVerifier,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const sent = countHeader(request.raw.rawHeaders, 'authorization');
    if (sent === 0) throw unauthorized('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".');
    const { authorization = '' } = request.headers;
    const [, token = ''] = (sent === 1 && BEARER.exec(authorization)) || [];
    // A key from the cache needs neither passport nor a promise.
    request.caller = this.verifier.findKnown(token);
    if (request.caller) return true;
    // Keys that have been valid are exempt from the limit of failures.
    if (this.verifier.hasSeen(token)) return super.canActivate(context) as Promise<boolean>;
    return this.attempt(context, networkOf(request.ip), authorization);
  }

  /** Counted before the key is looked up, and given back unless the key is refused. */
  private async attempt(context: ExecutionContext, network: string, credential: string): Promise<boolean> {
    const { failures } = this.limits;
    const shared = this.attempts.get(credential);
    const counted = shared ?? failures.take(network);
    this.attempts.set(credential, counted);
    let isRefused = false;
    try {
      await counted;
      return await (super.canActivate(context) as Promise<boolean>);
    } catch (error) {
      isRefused = error instanceof ApiError;
      throw error;
    } finally {
      if (!shared) this.attempts.delete(credential);
      if (!shared && !isRefused) await failures.giveBack(network);
    }
  }

  /** Of several Authorization headers, Node.js shows the first. */
  override getRequest(context: ExecutionContext): Credentials {
    const { headers, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    const isOne = countHeader(raw.rawHeaders, 'authorization') === 1;
    return { headers: isOne ? headers : {}, verifier: this.verifier };
  }

  override handleRequest<T extends ApiKey>(error: unknown, key: T | false, _: unknown, context: ExecutionContext): T {
    if (error) throw error;
    if (!key)
      throw unauthorized('invalid_api_key', 'Send one Authorization header: the word Bearer, a space, and the key.');
    context.switchToHttp().getRequest<FastifyRequest>().caller = key;
    return key;
  }
}
