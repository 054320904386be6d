import type { EntityMetadata } from 'typeorm';
import { EntitySql, type EntityStatement } from '../batching/entity-sql.js';
import { list } from '../batching/sql-text.js';
import { placeOf } from '../kept.js';
import type { Statement } from '../batching/statement.js';
import { BLOCK, blockInSql, lastIdInSql } from './block.js';

/** Inserts are combined by `insertOf`, from the text for one row. */
const COMBINED: Statement = { name: '', text: '', properties: [] };

/** The SQL of a distributed entity. What names the block of a row is a task of one shard. */
export class DistributedSql extends EntitySql {
  private static readonly placed = new WeakMap<EntityMetadata, DistributedSql>();
  /** The property by whose block the rows lie. */
  readonly place: string;

  static override of(entity: EntityMetadata): DistributedSql {
    let sql = this.placed.get(entity);
    if (!sql) this.placed.set(entity, (sql = new DistributedSql(entity)));
    return sql;
  }

  private constructor(entity: EntityMetadata) {
    super(entity);
    this.place = placeOf(entity).propertyName;
  }

  /** The values: those of the properties, and the block. */
  readOneOfBlock(by: string[]): EntityStatement {
    return this.cached('one of block by', by, () => ({
      text: `${this.select([...this.equal(by), `${BLOCK} = $${by.length + 1}`])}${by.includes('id') ? '' : ' LIMIT 1'}`,
      encoders: this.encoders([...by, 'id']),
    }));
  }

  /** The values: those of the filters, the id after which the page starts, the limit, and the block. */
  readPageOfBlock(filters: string[]): EntityStatement {
    return this.cached('page of block by', filters, () => {
      const [start, limit, block] = [1, 2, 3].map((i) => `$${filters.length + i}`) as [
        string,
        string,
        string,
      ];
      const id = this.column('id');
      const bounds = [`${id} > ${start}`, `${BLOCK} = ${block}`];
      // Without its end, the index of a filter would be read past the block.
      if (filters.length > 0) bounds.push(`${id} <= ${lastIdInSql(`${block}::bigint`)}`);
      return {
        text: `${this.select([...this.equal(filters), ...bounds])} ORDER BY ${id} LIMIT ${limit}`,
        encoders: this.encoders([...filters, 'id', 'id', 'id']),
      };
    });
  }

  /** The id that was given last, or null. */
  readLastId(): EntityStatement {
    return this.cached('last id', [], () => ({
      text: `SELECT pg_sequence_last_value(${this.sequence}::regclass)`,
      properties: ['id'],
      encoders: [],
    }));
  }

  /** By default the block is that of the row's own id. */
  override insert(given: string[]): EntityStatement {
    const place = given.indexOf(this.place) + 1;
    if (place === 0) return super.insert(given);
    return this.cached('insert', given, () => {
      const columns = given.map((property) => this.column(property));
      const values = given.map((_, i) => `$${i + 1}`);
      const text = `INSERT INTO ${this.table} ${list([BLOCK, ...columns])} VALUES ${list([blockInSql(`$${place}::bigint`), ...values])} RETURNING ${this.columns}`;
      return { text, encoders: this.encoders(given), forMany: COMBINED };
    });
  }

  private equal(properties: string[]): string[] {
    return properties.map((property, i) => `${this.column(property)} = $${i + 1}`);
  }
}
