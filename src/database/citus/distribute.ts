import { setTimeout as delay } from 'node:timers/promises';
import type { EntityMetadata, QueryRunner } from 'typeorm';
import type { ForeignKeyMetadata } from 'typeorm/metadata/ForeignKeyMetadata.js';
import { literal, quote } from '../batching/sql-text.js';
import { driverErrorOf } from '../database-errors.js';
import { keepingOf, type OtherTables, placeOf, referencesToDistributed } from '../kept.js';
import { BLOCK, blockInSql } from './block.js';
import { requireSchema } from './require-cluster.js';
import { watchSequences } from './sequences.js';

interface Definition {
  readonly name: string;
  readonly definition: string;
  readonly deferrable: boolean;
}

const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * In one transaction, which leaves nothing half distributed. It cannot be undone. Databases share roles, so the same at
 * once in another one can fail with "tuple concurrently updated", an internal error.
 */
export async function distribute(runner: QueryRunner, others: OtherTables): Promise<string[]> {
  await watchSequences(runner);
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptToDistribute(runner, others);
    } catch (error) {
      const { code } = driverErrorOf(error) as { code?: unknown };
      if (code !== 'XX000' || attempt === ATTEMPTS) throw error;
      await delay(attempt * PAUSE_MS);
    }
  }
}

async function attemptToDistribute(runner: QueryRunner, others: OtherTables): Promise<string[]> {
  const entities = await missing(runner, runner.dataSource.entityMetadatas, ({ tablePath }) => tablePath);
  const tables = await missing(runner, Object.keys(others), (table) => table);
  const kept = entities.filter((entity) => keepingOf(entity) !== 'local');
  if (kept.length + tables.length === 0) return [];
  await requireSchema(runner);
  await runner.startTransaction();
  try {
    // Tables that refer to each other cannot be distributed in parallel.
    await runner.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    const references = await takeReferences(runner, kept);
    for (const entity of kept) await keep(runner, entity);
    for (const table of tables)
      await select(runner, 'create_distributed_table', table, others[table] as string);
    for (const reference of references) await runner.query(reference);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
  return [...kept.map(({ tableName }) => tableName), ...tables];
}

async function missing<T>(runner: QueryRunner, all: readonly T[], tableOf: (one: T) => string): Promise<T[]> {
  const known = (await runner.query(
    "SELECT logicalrelid::oid::int AS id FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'",
  )) as { id: number }[];
  const ids = new Set(known.map(({ id }) => id));
  const found = [];
  for (const one of all) {
    const [{ id }] = (await runner.query('SELECT to_regclass($1)::oid::int AS id', [tableOf(one)])) as [
      { id: number | null },
    ];
    if (id !== null && !ids.has(id)) found.push(one);
  }
  return found;
}

/**
 * Removes the foreign keys, and returns the statements that add them, and those postponed, as the distributed tables can
 * hold them.
 */
async function takeReferences(runner: QueryRunner, entities: EntityMetadata[]): Promise<string[]> {
  const statements = [];
  for (const entity of entities) {
    const table = nameOf(entity);
    const present = await constraints(runner, entity, 'f');
    for (const { name } of present) await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`);
    const postponed = entity.foreignKeys.filter((one) => !present.some(({ name }) => name === one.name));
    for (const { name, definition } of [...present, ...postponed.map(definitionOf)]) {
      const isPlace = definition.startsWith(`FOREIGN KEY (${placeOf(entity).databaseName})`);
      const isPlaced = isPlace && placeOf(entity).propertyName !== 'id';
      const held = isPlaced
        ? definition.replaceAll(/(KEY |REFERENCES \S+?)\(/g, `$1(${BLOCK}, `)
        : definition;
      statements.push(`ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${held}`);
    }
  }
  return statements;
}

function definitionOf(reference: ForeignKeyMetadata): Pick<Definition, 'name' | 'definition'> {
  const { name, columnNames, referencedTablePath, referencedColumnNames, onDelete, onUpdate } = reference;
  const actions = [onDelete && `ON DELETE ${onDelete}`, onUpdate && `ON UPDATE ${onUpdate}`];
  return {
    name,
    definition: [
      `FOREIGN KEY (${columnNames.join(', ')}) REFERENCES ${referencedTablePath}(${referencedColumnNames.join(', ')})`,
      ...actions.filter(Boolean),
    ].join(' '),
  };
}

async function keep(runner: QueryRunner, entity: EntityMetadata): Promise<void> {
  if (keepingOf(entity) === 'everywhere') {
    await checkAtOnce(runner, entity);
    await select(runner, 'create_reference_table', entity.tablePath);
    return;
  }
  await addBlock(runner, entity);
  const [reference] = referencesToDistributed(entity);
  const beside = reference ? ['hash', reference.referencedTablePath] : [];
  await select(runner, 'create_distributed_table', entity.tablePath, BLOCK, ...beside);
}

/** Citus does not tell which constraint a commit has violated, so statements do. */
async function checkAtOnce(runner: QueryRunner, entity: EntityMetadata): Promise<void> {
  for (const { name, definition, deferrable } of await constraints(runner, entity, 'p', 'u'))
    if (deferrable)
      await runner.query(
        `ALTER TABLE ${nameOf(entity)} DROP CONSTRAINT ${quote(name)}, ADD CONSTRAINT ${quote(name)} ${definition}`,
      );
}

/** Unique indexes of a distributed table include the column that distributes it, which changes nothing that they allow. */
async function addBlock(runner: QueryRunner, entity: EntityMetadata): Promise<void> {
  const table = nameOf(entity);
  const place = quote(placeOf(entity).databaseName);
  const keys = await constraints(runner, entity, 'p', 'u');
  const indexes = await uniqueIndexes(runner, entity);
  for (const { name, definition } of indexes)
    if (!definition.slice(definition.indexOf('(')).includes(placeOf(entity).databaseName))
      throw new Error(
        `A cluster cannot keep ${name}: equal values could lie on different nodes. Add @Kept('everywhere') to ${entity.name}.`,
      );
  for (const { name } of keys) await runner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`);
  for (const { name } of indexes) await runner.query(`DROP INDEX ${quote(name)}`);
  await runner.query(`ALTER TABLE ${table} ADD COLUMN ${BLOCK} bigint`);
  await runner.query(`UPDATE ${table} SET ${BLOCK} = ${blockInSql(place)}`);
  const isOwn = placeOf(entity).propertyName === 'id';
  const rule = `${BLOCK} = ${blockInSql(place)}${isOwn ? ` AND ${place} > 0` : ''}`;
  const sequence = `pg_get_serial_sequence(${literal(table)}, ${literal(placeOf(entity).databaseName)})`;
  // Citus takes the defaults of a row in the order of its columns, so the id was given just before.
  const value = isOwn ? `SET DEFAULT ${blockInSql(`currval(${sequence})`)}, ALTER COLUMN ${BLOCK} ` : '';
  await runner.query(
    `ALTER TABLE ${table} ALTER COLUMN ${BLOCK} ${value}SET NOT NULL,
     ADD CONSTRAINT ${quote(`${entity.tableName}_${BLOCK}`)} CHECK (${rule})`,
  );
  for (const { name, definition } of keys)
    await runner.query(
      `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${definition.replace('(', `(${BLOCK}, `)}`,
    );
  for (const { definition } of indexes)
    await runner.query(definition.replace(/( USING \w+ \()/, `$1${BLOCK}, `));
}

function constraints(
  runner: QueryRunner,
  { tablePath }: EntityMetadata,
  ...kinds: string[]
): Promise<Definition[]> {
  return runner.query(
    `SELECT conname AS name, condeferrable AS deferrable,
       regexp_replace(pg_get_constraintdef(oid), ' DEFERRABLE.*', '') AS definition FROM pg_constraint
     WHERE conrelid = to_regclass($1) AND contype = ANY ($2)`,
    [tablePath, kinds],
  );
}

function uniqueIndexes(runner: QueryRunner, { tablePath }: EntityMetadata): Promise<Definition[]> {
  return runner.query(
    `SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = to_regclass($1) AND indisunique
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))`,
    [tablePath],
  );
}

async function select(runner: QueryRunner, call: string, ...values: string[]): Promise<void> {
  await runner.query(`SELECT ${call}(${values.map(literal).join(', ')})`);
}

function nameOf({ tablePath }: EntityMetadata): string {
  return tablePath.split('.').map(quote).join('.');
}
