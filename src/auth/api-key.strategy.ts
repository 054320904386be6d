import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { ApiKey } from './api-key.entity.js';
import { KeyVerifier } from './key-verifier.js';

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
