import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { Config } from '../common/config.js';
import type { MigrationClass } from './citus.js';
import { dataSourceOptions } from './data-source-options.js';
import { Database, MIGRATIONS } from './database.js';
import { GroupCommit } from './group-commit.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';

const OFFERED = [Database, Statements, GroupCommit, Transactions];

/** The connection to PostgreSQL. Entities, migrations and queries belong to the features. */
@Global()
@Module({})
export class DatabaseModule {
  private static readonly migrations = new Set<MigrationClass>();

  static forRoot(): DynamicModule {
    const dataSource = TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config),
        autoLoadEntities: true,
        manualInitialization: true, // `Database` connects, again and again if need be
      }),
      dataSourceFactory: async (options) => new DataSource(options as DataSourceOptions),
    });
    const migrations = {
      provide: MIGRATIONS,
      inject: [Config],
      useFactory: ({ databaseDistribution }: Config) =>
        [...this.migrations].filter(({ isDistribution }) => !isDistribution || databaseDistribution),
    };
    return {
      module: DatabaseModule,
      imports: [dataSource],
      providers: [migrations, ...OFFERED],
      exports: [...OFFERED],
    };
  }

  /** The entities of a feature, for `@InjectRepository()`, and its migrations, in any order. */
  static forFeature(entities: Type[], migrations: MigrationClass[]): DynamicModule {
    for (const migration of migrations) this.migrations.add(migration);
    return TypeOrmModule.forFeature(entities);
  }
}
