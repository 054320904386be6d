/**
 * Rows lie by the block of their id: each block of 4,096 ids lies in one shard. So a page is a task of one node, and a
 * batch of inserts is committed by one node alone. Only tables on a cluster have the column.
 */
export const BLOCK = 'block';
const BITS = 12;
const REST = 2 ** BITS - 1;

export function blockOf(id: bigint): bigint {
  return id >> BigInt(BITS);
}

export function lastIdOf(block: bigint): bigint {
  return (block << BigInt(BITS)) | BigInt(REST);
}

/** The block of an id, as an expression. */
export function blockInSql(id: string): string {
  return `${id} >> ${BITS}`;
}

/** The last id of a block, as an expression. */
export function lastIdInSql(block: string): string {
  return `(${block} << ${BITS} | ${REST})`;
}
