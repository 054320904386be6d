import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { DatabaseConnection } from './connection.js';
import { dataSourceOptions } from './data-source-options.js';
import { Database } from './database.js';
import type { Migration } from './migrator.js';

@Global()
@Module({})
export class DatabaseModule {
  private static readonly migrations = new Set<Migration>();

  static forRoot(connection: DatabaseConnection): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions(connection),
          autoLoadEntities: true,
          manualInitialization: true, // `Database` connects, as often as it takes
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new Database(dataSource, connection, [...this.migrations]),
        },
      ],
      exports: [Database],
    };
  }

  /** What a feature keeps in the database: its tables, and the migrations that make them. */
  static forFeature(entities: Type[], migrations: Migration[]): DynamicModule {
    for (const migration of migrations) this.migrations.add(migration);
    return TypeOrmModule.forFeature(entities);
  }
}
