import type { MigrationInterface, QueryRunner } from 'typeorm';

export type MigrationClass = (new () => MigrationInterface) & { readonly isDistribution?: boolean };

/**
 * A migration that spreads tables over the nodes of a Citus cluster; other tables stay on the coordinator. It runs only with
 * DATABASE_DISTRIBUTION=citus, and cannot be reverted. Migrations run in the order of the timestamps at the end of their
 * names, so the timestamp in `name` has to be later than those of the migrations that create the tables.
 */
export function distribution(name: string, statements: string[]): MigrationClass {
  return class implements MigrationInterface {
    static readonly isDistribution = true;
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {
      throw new Error('The distribution of a database cannot be reverted.');
    }
  };
}
