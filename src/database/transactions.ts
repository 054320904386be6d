import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { isStale } from './pipeline.js';

@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in the transaction of `outer`, or in one of its own. */
  async run<T>(outer: EntityManager | undefined, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (outer) return work(outer);
    return this.dataSource.transaction(async (manager) => {
      try {
        return await work(manager);
      } catch (error) {
        // A connection to a former primary is whole, but good for nothing: the pool drops it.
        if (isStale(error)) void ((await manager.queryRunner?.connect()) as pg.Client | undefined)?.end();
        throw error;
      }
    });
  }
}
