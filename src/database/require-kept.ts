import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { nameOf } from './batching/column-values.js';
import { keepingOf, placeOf, referencesToDistributed } from './kept.js';

/** @throws for an entity that does not say how a cluster keeps its table */
export function requireWord(entity: EntityMetadata): void {
  if (keepingOf(entity)) return;
  throw new Error(
    `${entity.name} does not say how a cluster keeps its table: add @Kept('distributed'), or 'everywhere' if all nodes need its rows, or 'local'.`,
  );
}

/**
 * Rejects an entity whose table a cluster could not keep as it says: some constraint would not hold.
 *
 * @throws an error that names the property and says what to do
 */
export function requireKept(entity: EntityMetadata): void {
  requireWord(entity);
  const problem = [...problemsOf(entity)][0];
  if (problem) throw new Error(`A cluster cannot keep the table of ${entity.name}. ${problem}`);
}

function* problemsOf(entity: EntityMetadata): Generator<string> {
  const { name, foreignKeys } = entity;
  const keeping = keepingOf(entity);
  if (keeping === 'unsupported') yield `${name} says so, by @Kept('unsupported').`;
  for (const { columns, referencedEntityMetadata } of foreignKeys) {
    const other = referencedEntityMetadata.name;
    const isLocal = keepingOf(referencedEntityMetadata) === 'local';
    if (isLocal !== (keeping === 'local'))
      yield `${namesOf(columns)} refers to ${other}, and only one of the two is local: keep both alike.`;
  }
  if (keeping === 'distributed') yield* problemsOfDistributed(entity);
  else
    for (const { columns, referencedEntityMetadata } of referencesToDistributed(entity))
      yield `${namesOf(columns)} refers to ${referencedEntityMetadata.name}, which is distributed: add @Kept('distributed') to ${name}, whose rows then lie with those that they refer to.`;
}

function* problemsOfDistributed(entity: EntityMetadata): Generator<string> {
  const { name, uniques, indices } = entity;
  const place = placeOf(entity);
  const [reference, another] = referencesToDistributed(entity);
  if (another)
    yield `${namesOf(another.columns)} is the second reference of ${name} to a distributed table, and a row lies with one other: drop that foreign key, or add @Kept('everywhere') to ${another.referencedEntityMetadata.name}.`;
  if (reference && (place.isNullable || reference.columns.length > 1))
    yield `${namesOf(reference.columns)} decides where a row of ${name} lies, so it is one column, and not nullable.`;
  if (reference && placeOf(reference.referencedEntityMetadata).propertyName !== 'id')
    yield `${nameOf(place)} refers to ${reference.referencedEntityMetadata.name}, whose rows do not lie by their own id: drop that foreign key.`;
  for (const { columns } of [...uniques, ...indices.filter(({ isUnique }) => isUnique)])
    if (!columns.includes(place))
      yield `${namesOf(columns)} is unique, and rows with equal values could lie on different nodes: add @Kept('everywhere') to ${name}, or ${nameOf(place)} to the index.`;
}

function namesOf(columns: readonly ColumnMetadata[]): string {
  return columns.map(nameOf).join(', ');
}
