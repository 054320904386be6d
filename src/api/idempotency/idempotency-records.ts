import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Column, Entity, type EntityManager, Index, PrimaryColumn, Repository } from 'typeorm';
import { Statements } from '../../database/statements.js';

/** How long a repetition gets the first answer. */
export const KEPT_HOURS = 24;
const CLEANED_EVERY_MS = 60_000;
/** Small enough that nobody waits for the deletion. */
const PORTION = 1_000;

/** The first success of a request, as it is sent again. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('bytea') readonly digest!: Buffer;

  /** Of the request. */
  @Column('bytea', { name: 'body_hash' }) readonly bodyHash!: Buffer;
  @Column('smallint') readonly status!: number;
  @Column('text', { nullable: true }) readonly location!: string | null;
  @Column('text', { nullable: true }) readonly body!: string | null;

  @Index('idempotency_records_created_at')
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  readonly createdAt!: Date;
}

/** The first answers to requests with an Idempotency-Key. */
@Injectable()
export class IdempotencyRecords implements OnApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private readonly timer = setInterval(() => void this.deleteExpired(), CLEANED_EVERY_MS).unref();

  constructor(
    @InjectRepository(IdempotencyRecord) private readonly records: Repository<IdempotencyRecord>,
    private readonly statements: Statements,
  ) {}

  /** In a transaction, equal requests take turns until it ends, or their time for locks does, which is 503. */
  async find(digest: Buffer, manager?: EntityManager): Promise<IdempotencyRecord | null> {
    await manager?.query('SELECT pg_advisory_xact_lock($1)', [digest.readBigInt64BE()]);
    return this.statements.findOne(this.records, { digest }, manager);
  }

  async insert(record: Omit<IdempotencyRecord, 'createdAt'>, manager: EntityManager): Promise<void> {
    await this.statements.insert(this.records, record, manager);
  }

  async deleteExpired(): Promise<void> {
    if (!this.records.manager.dataSource.isInitialized) return;
    const expired = `SELECT digest FROM idempotency_records WHERE created_at < now() - interval '${KEPT_HOURS} hours'
      ORDER BY created_at LIMIT ${PORTION}`;
    const statement = `DELETE FROM idempotency_records WHERE digest IN (${expired})`;
    try {
      for (let deleted = PORTION; deleted === PORTION;)
        [, deleted] = await this.records.query<[unknown, number]>(statement);
    } catch (error) {
      this.logger.warn(`Expired records were not deleted: ${(error as Error).message}`);
    }
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
