import { DataSource, EntityManager, type QueryRunner } from 'typeorm';
import { insideTransaction, refuseOutside } from './open-transaction.js';

/** Refuses statements that would leave the open transaction. TypeORM would run them on another connection. */
export class GuardedDataSource extends DataSource {
  override createQueryRunner(...mode: Parameters<DataSource['createQueryRunner']>): QueryRunner {
    refuseOutside(mode[0] === 'slave' ? 'read' : 'change');
    return super.createQueryRunner(...mode);
  }

  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    return new GuardedEntityManager(this, queryRunner);
  }
}

class GuardedEntityManager extends EntityManager {
  override transaction(...given: unknown[]): Promise<never> {
    const work = given.pop() as (manager: EntityManager) => Promise<unknown>;
    const transaction = super.transaction.bind(this) as (...given: unknown[]) => Promise<never>;
    return transaction(...given, (manager: EntityManager) => insideTransaction(() => work(manager)));
  }
}
