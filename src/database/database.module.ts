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
import { Statements } from './batching/statements.js';
import { Store, type Stored, storeOf } from './batching/store.js';

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
          provide: Statements,
          inject: [DataSource, Tracing],
          useFactory: (dataSource: DataSource, tracing: Tracing) =>
            new Statements(connection, dataSource, availability, tracing),
        },
        DatabaseMetrics,
        {
          provide: Database,
          inject: [DataSource, Statements],
          useFactory: (dataSource: DataSource, statements: Statements) =>
            new Database(dataSource, connection, [...this.migrations], availability, statements),
        },
      ],
      exports: [Availability, Database, Statements],
    };
  }

  /** What a feature keeps in the database: its tables, and the migrations that make them. */
  static forFeature(entities: Type<Stored>[], migrations: Migration[]): DynamicModule {
    for (const migration of migrations) this.migrations.add(migration);
    const stores = entities.map((entity) => ({
      provide: storeOf(entity),
      inject: [DataSource, Statements],
      useFactory: (dataSource: DataSource, statements: Statements) =>
        new Store(entity, dataSource, statements),
    }));
    const typeOrm = TypeOrmModule.forFeature(entities);
    return {
      ...typeOrm,
      providers: [...(typeOrm.providers ?? []), ...stores],
      exports: [...(typeOrm.exports ?? []), ...stores],
    };
  }
}
