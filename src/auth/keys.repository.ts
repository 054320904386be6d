import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { ApiKey } from './api-key.entity.js';

/** Every statement on API keys. */
@Injectable()
export class KeysRepository {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  findByHash(hash: Buffer): Promise<ApiKey | null> {
    return this.keys.findOneBy({ hash });
  }

  findAll(): Promise<ApiKey[]> {
    return this.keys.find({ order: { id: 'ASC' } });
  }

  exists(): Promise<boolean> {
    return this.keys.exists();
  }

  async insert(key: Pick<ApiKey, 'name' | 'hash' | 'hint' | 'createdAt' | 'expiresAt'>): Promise<void> {
    await this.keys.insert(key);
  }

  /** Whether there was such a key, not revoked before. */
  async revoke(id: bigint, revokedAt: Date): Promise<boolean> {
    const { affected } = await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt });
    return affected === 1;
  }

  async markUsed(id: bigint, lastUsedAt: Date): Promise<void> {
    await this.keys.update({ id }, { lastUsedAt });
  }
}
