import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { ApiKey } from './api-key.entity.js';
import { KeysService } from './keys.service.js';
import { AddKeyOwners1763769600000 } from './migrations/1763769600000-add-key-owners.js';
import { AddKeyOrigins1795340000000 } from './migrations/1795340000000-add-key-origins.js';
import { AddReadOnlyKeys1795910400000 } from './migrations/1795910400000-add-read-only-keys.js';
import { CreateApiKeys1763683200001 } from './migrations/1763683200001-create-api-keys.js';

const table = DatabaseModule.forFeature(
  [ApiKey],
  [CreateApiKeys1763683200001, AddKeyOwners1763769600000, AddKeyOrigins1795340000000, AddReadOnlyKeys1795910400000],
);

/** The management of API keys, without what only requests need: the command starts faster. */
@Module({ imports: [table], providers: [KeysService], exports: [table] })
export class KeysModule {}
