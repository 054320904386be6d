import { Injectable, UnauthorizedException } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { InjectRepository } from '@nestjs/typeorm';
import { Strategy } from 'passport-http-bearer';
import { Repository } from 'typeorm';
import { KnownKeys } from '../../known-keys.mjs';
import { ApiKey } from './api-key.entity.js';

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  private readonly known: KnownKeys;

  constructor(@InjectRepository(ApiKey) keys: Repository<ApiKey>) {
    super();
    this.known = new KnownKeys((hash: Buffer) => keys.findOneBy({ hash }));
  }

  async validate(token: string): Promise<ApiKey> {
    const key = await this.known.verify(token);
    if (!key) throw new UnauthorizedException();
    return key;
  }
}
