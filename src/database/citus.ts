import type { MigrationInterface, QueryRunner } from 'typeorm';

export type MigrationClass = (new () => MigrationInterface) & { readonly isDistribution?: boolean };

/**
 * A migration that only DATABASE_DISTRIBUTION=citus runs, and nothing takes back. It spreads tables over the nodes of a Citus
 * cluster; those without stay on the coordinator. `name` ends with a timestamp after that of every migration which it needs.
 */
export function distribution(name: string, statements: string[]): MigrationClass {
  return class implements MigrationInterface {
    static readonly isDistribution = true;
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {
      throw new Error('A distributed database does not become one server again.');
    }
  };
}
