import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { WaitingPlaces } from '../common/waiting-places.js';
import { Tracing } from '../observability/tracing.js';
import { Availability } from './availability.js';
import { BatchedRepository, type EntityWithId } from './batching/batched-repository.js';
import { repositoryOf } from './citus/repositories.js';
import type { OtherTables } from './kept.js';
import { StatementQueues } from './batching/statement-queues.js';
import type { DatabaseConnection } from './connection.js';
import { dataSourceOptions } from './data-source-options.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Database } from './database.js';
import type { Migration } from './migrator.js';
import { RefusalLog } from './refusal-log.js';
import { Session } from './server/session.js';
import { GuardedDataSource } from './transactions/guarded-data-source.js';
import { Transactions } from './transactions/transactions.js';

/**
 * The connection to PostgreSQL or the embedded engine: migrations, batching, outages, readiness. Entities, migrations and
 * queries belong to the features.
 */
@Global()
@Module({})
export class DatabaseModule {
  private static readonly migrations = new Set<Migration>();
  private static readonly batched = new Set<Type<EntityWithId>>();
  private static readonly others: Record<string, string> = {};

  static forRoot(given: DatabaseConnection): DynamicModule {
    const availability = new Availability();
    const hasSession = given.kind === 'server' && given.preparedStatements;
    const connection = hasSession ? { ...given, session: new Session() } : given;
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...dataSourceOptions(connection, availability),
            autoLoadEntities: true,
            manualInitialization: true, // `Database` connects, and retries
          }),
          dataSourceFactory: async (options) => new GuardedDataSource(options as DataSourceOptions),
        }),
      ],
      providers: [
        { provide: Availability, useValue: availability },
        { provide: RefusalLog, useValue: new RefusalLog() },
        {
          provide: StatementQueues,
          inject: [DataSource, RefusalLog, Tracing, WaitingPlaces],
          useFactory: (
            ...[dataSource, refusals, tracing, places]: [DataSource, RefusalLog, Tracing, WaitingPlaces]
          ) => new StatementQueues(connection, dataSource, availability, refusals, tracing, places),
        },
        DatabaseMetrics,
        {
          provide: Database,
          inject: [DataSource, StatementQueues],
          useFactory: (dataSource: DataSource, queues: StatementQueues) =>
            new Database(
              dataSource,
              connection,
              [...this.migrations],
              { entities: [...this.batched], others: this.others },
              availability,
              queues,
            ),
        },
        {
          provide: Transactions,
          inject: [DataSource, RefusalLog],
          useFactory: (dataSource: DataSource, refusals: RefusalLog) =>
            new Transactions(dataSource, connection, availability, refusals),
        },
      ],
      exports: [Database, RefusalLog, StatementQueues, Transactions],
    };
  }

  /**
   * The entities of a feature and their migrations. `@InjectRepository(entity)` is a `BatchedRepository`: TypeORM's, with
   * faster forms of the frequent statements. A cluster distributes other tables by the column that `others` names.
   */
  static forFeature(
    entities: Type<EntityWithId>[],
    migrations: Migration[],
    others: OtherTables = {},
  ): DynamicModule {
    Object.assign(this.others, others);
    for (const migration of migrations) this.migrations.add(migration);
    for (const entity of entities) this.batched.add(entity);
    const repositories = entities.map((entity) => ({
      provide: getRepositoryToken(entity),
      inject: [DataSource, StatementQueues],
      useFactory: ({ manager }: DataSource, queues: StatementQueues) =>
        new (queues.isDistributed ? repositoryOf(entity) : BatchedRepository)(entity, manager, queues),
    }));
    // TypeORM's module registers the entities.
    return { ...TypeOrmModule.forFeature(entities), providers: repositories, exports: repositories };
  }
}
