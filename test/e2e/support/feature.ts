import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiModule } from '../../../src/api/api.module.js';
import { SystemClock } from '../../../src/common/clock.js';
import { CommonModule } from '../../../src/common/common.module.js';
import { Config } from '../../../src/common/config/config.js';
import type { EntityWithId } from '../../../src/database/batching/batched-repository.js';
import { Database } from '../../../src/database/database.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import type { Migration } from '../../../src/database/migrator.js';
import { ObservabilityModule } from '../../../src/observability/observability.module.js';
import { createDatabase } from './database.js';

export interface Feature {
  readonly app: INestApplicationContext;
  stop(): Promise<void>;
}

/** Starts a feature that exists in tests only: entities and their migrations on a database of its own. */
export async function startFeature(
  entities: Type<EntityWithId>[],
  migrations: Migration[],
): Promise<Feature> {
  const database = await createDatabase();
  @Module({
    imports: [
      ObservabilityModule,
      ApiModule,
      CommonModule.forRoot(new Config(), new SystemClock()),
      DatabaseModule.forRoot(database.connection),
      DatabaseModule.forFeature(entities, migrations),
    ],
  })
  class TestFeature {}
  const app = await NestFactory.createApplicationContext(TestFeature, { logger: false, abortOnError: false });
  const stop = async (): Promise<void> => {
    await app.close();
    await database.drop();
  };
  try {
    await app.get(Database).whenReady();
  } catch (error) {
    await stop();
    throw error;
  }
  return { app, stop };
}
