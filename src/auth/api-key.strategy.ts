import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { SERVICE_NAME } from '../common/contract.js';
import { KeysService } from './keys.service.js';
import type { CachedKey } from './key-cache.js';

/** Takes the token from the Authorization header. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy) {
  constructor(private readonly keys: KeysService) {
    super({ realm: SERVICE_NAME });
  }

  /** Passes on the headers only. The strategy would also accept keys from the query and the body. */
  override authenticate({ headers }: { headers: IncomingHttpHeaders }): void {
    super.authenticate({ headers } as never);
  }

  validate(token: string): Promise<CachedKey> {
    return this.keys.verify(token);
  }
}
