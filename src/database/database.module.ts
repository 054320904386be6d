import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../common/config.js';
import type { MigrationClass } from './citus.js';
import { dataSourceOptions } from './data-source-options.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrate.js';
import { Statements } from './statements.js';

const OFFERED = [Database, Statements];
const dataSource = TypeOrmModule.forRootAsync({ inject: [Config], useFactory: dataSourceOptions });

/** The connection to PostgreSQL. Entities, migrations and queries belong to the features. */
@Global()
@Module({ imports: [dataSource], providers: OFFERED, exports: OFFERED })
export class DatabaseModule {
  /** Registers the entities of a feature, for `@InjectRepository()`, and its migrations, which run by timestamp. */
  static forFeature(entities: Type[], migrations: MigrationClass[]): DynamicModule {
    for (const migration of migrations) MIGRATIONS.add(migration);
    return TypeOrmModule.forFeature(entities);
  }
}
