import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Tracing } from '../observability/tracing.js';
import { Availability } from './availability.js';
import type { DatabaseConnection } from './connection.js';
import { dataSourceOptions } from './data-source-options.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Database } from './database.js';
import type { Migration } from './migrator.js';
import { StatementQueues } from './batching/statement-queues.js';
import { BatchedRepository, batchedRepositoryOf, type EntityWithId } from './batching/batched-repository.js';

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
          manualInitialization: true, // `Database` connects, as often as it takes
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
          useFactory: (dataSource: DataSource, statements: StatementQueues) =>
            new Database(dataSource, connection, [...this.migrations], availability, statements),
        },
      ],
      exports: [Availability, Database, StatementQueues],
    };
  }

  /** What a feature keeps in the database: its tables, and the migrations that make them. */
  static forFeature(entities: Type<EntityWithId>[], migrations: Migration[]): DynamicModule {
    for (const migration of migrations) this.migrations.add(migration);
    const stores = entities.map((entity) => ({
      provide: batchedRepositoryOf(entity),
      inject: [DataSource, StatementQueues],
      useFactory: (dataSource: DataSource, statements: StatementQueues) =>
        new BatchedRepository(entity, dataSource, statements),
    }));
    const typeOrm = TypeOrmModule.forFeature(entities);
    return {
      ...typeOrm,
      providers: [...(typeOrm.providers ?? []), ...stores],
      exports: [...(typeOrm.exports ?? []), ...stores],
    };
  }
}
