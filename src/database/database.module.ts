import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Tracing } from '../observability/tracing.js';
import { Availability } from './availability.js';
import { BatchedRepository, batchedRepositoryOf, type EntityWithId } from './batching/batched-repository.js';
import { StatementQueues } from './batching/statement-queues.js';
import type { DatabaseConnection } from './connection.js';
import { dataSourceOptions } from './data-source-options.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Database } from './database.js';
import type { Migration } from './migrator.js';

/**
 * The connection to PostgreSQL or the embedded engine: migrations, batching, outages, readiness. Entities, migrations and
 * queries belong to the features.
 */
@Global()
@Module({})
export class DatabaseModule {
  private static readonly migrations = new Set<Migration>();

  static forRoot(connection: DatabaseConnection): DynamicModule {
    const availability = new Availability();
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions(connection, availability),
          autoLoadEntities: true,
          manualInitialization: true, // `Database` connects, and retries
        }),
      ],
      providers: [
        { provide: Availability, useValue: availability },
        {
          provide: StatementQueues,
          inject: [DataSource, Tracing],
          useFactory: (dataSource: DataSource, tracing: Tracing) =>
            new StatementQueues(connection, dataSource, availability, tracing),
        },
        DatabaseMetrics,
        {
          provide: Database,
          inject: [DataSource, StatementQueues],
          useFactory: (dataSource: DataSource, queues: StatementQueues) =>
            new Database(dataSource, connection, [...this.migrations], availability, queues),
        },
      ],
      exports: [Database, StatementQueues],
    };
  }

  /** The entities of a feature, as repositories of TypeORM and as batched ones, and their migrations. */
  static forFeature(entities: Type<EntityWithId>[], migrations: Migration[]): DynamicModule {
    for (const migration of migrations) this.migrations.add(migration);
    const batched = entities.map((entity) => ({
      provide: batchedRepositoryOf(entity),
      inject: [DataSource, StatementQueues],
      useFactory: (dataSource: DataSource, queues: StatementQueues) =>
        new BatchedRepository(entity, dataSource, queues),
    }));
    const typeOrm = TypeOrmModule.forFeature(entities);
    return {
      ...typeOrm,
      providers: [...(typeOrm.providers ?? []), ...batched],
      exports: [...(typeOrm.exports ?? []), ...batched],
    };
  }
}
