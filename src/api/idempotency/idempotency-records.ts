import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Column, Entity, type EntityManager, Index, PrimaryColumn, Repository } from 'typeorm';
import { Database } from '../../database/database.js';
import { Statements } from '../../database/statements.js';

/** How long a repetition gets the first answer. */
export const KEPT_HOURS = 24;
const CLEANED_EVERY_MS = 60_000;
/** Small enough that nobody waits for the deletion. */
const PORTION = 1_000;

/** The first success of a request, as it is sent again. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'idempotency_records_pkey' }) readonly digest!: Buffer;

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
export class IdempotencyRecords implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Idempotency');
  private timer?: NodeJS.Timeout;

  constructor(
    @InjectRepository(IdempotencyRecord) private readonly records: Repository<IdempotencyRecord>,
    private readonly statements: Statements,
    private readonly database: Database,
  ) {}

  find(digest: Buffer): Promise<IdempotencyRecord | null> {
    return this.statements.findOne(IdempotencyRecord, { digest });
  }

  /** Makes equal requests take turns until the transaction ends. */
  async lock(digest: Buffer, manager: EntityManager): Promise<IdempotencyRecord | null> {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [digest.readBigInt64BE()]);
    return this.statements.findOne(IdempotencyRecord, { digest }, manager);
  }

  async insert(record: Omit<IdempotencyRecord, 'createdAt'>, manager: EntityManager): Promise<void> {
    await this.statements.insert(IdempotencyRecord, record, manager);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.deleteExpired(), CLEANED_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async deleteExpired(): Promise<void> {
    if (!this.database.isReady) return;
    try {
      while ((await this.deletePortion()) === PORTION);
    } catch (error) {
      this.logger.warn(`Expired records were not deleted: ${(error as Error).message}`);
    }
  }

  private async deletePortion(): Promise<number> {
    const [, deleted] = await this.records.query<[unknown, number]>(
      `DELETE FROM idempotency_records WHERE digest IN (
         SELECT digest FROM idempotency_records WHERE created_at < now() - interval '${KEPT_HOURS} hours'
         ORDER BY created_at LIMIT ${PORTION})`,
    );
    return deleted;
  }
}
