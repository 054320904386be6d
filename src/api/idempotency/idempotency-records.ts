import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyReply } from 'fastify';
import { Column, Entity, type EntityManager, Index, PrimaryColumn, Repository } from 'typeorm';
import { DatabaseUnavailable } from '../../database/errors.js';
import { JSON_TYPE } from '../body.js';

export const REPLAYED_HEADER = 'Idempotency-Replayed';
/** For how long a repeated request gets the first answer. */
export const KEPT_HOURS = 24;
const CLEANED_EVERY_MS = 60_000;
/** How many records a statement deletes: so few that no request waits for it. */
const PORTION = 1_000;

/** If equal requests fail one after another, one that waits for its turn gives up after this time, as for a lock. */
const TURN_MS = 400;

const BEGIN = `INSERT INTO idempotency_records (digest, body_hash, status) VALUES ($1, $2, 0)
  ON CONFLICT DO NOTHING RETURNING digest`;
const COMPLETE = 'UPDATE idempotency_records SET status = $2, location = $3, body = $4 WHERE digest = $1';
const DELETE_EXPIRED = `DELETE FROM idempotency_records WHERE digest IN (
  SELECT digest FROM idempotency_records WHERE created_at < now() - interval '${KEPT_HOURS} hours'
  ORDER BY created_at LIMIT ${PORTION})`;

/** The first successful answer to a request, which is sent again when the request is repeated. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('bytea') readonly digest!: Buffer;

  /** The hash of the body of the request. */
  @Column('bytea', { name: 'body_hash' }) readonly bodyHash!: Buffer;
  @Column('smallint') readonly status!: number;
  @Column('text', { nullable: true }) readonly location!: string | null;
  @Column('text', { nullable: true }) readonly body!: string | null;

  @Index('idempotency_records_created_at')
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  readonly createdAt!: Date;
}

/** Thrown when the request has been answered before. The error filter then sends that answer again. */
export class AnsweredBefore {
  constructor(private readonly record: IdempotencyRecord) {}

  send(reply: FastifyReply): void {
    const { status, location, body } = this.record;
    void reply.code(status).header(REPLAYED_HEADER, 'true');
    if (location !== null) void reply.header('location', location);
    if (body !== null) void reply.type(JSON_TYPE);
    void reply.send(body ?? undefined);
  }
}

/** The first answers to requests with an Idempotency-Key. */
@Injectable()
export class IdempotencyRecords {
  /** The requests under way in this process, by digest. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(@InjectRepository(IdempotencyRecord) private readonly records: Repository<IdempotencyRecord>) {
    setInterval(() => void this.deleteExpired(), CLEANED_EVERY_MS).unref();
  }

  /** Equal requests that meet in this process wait for each other here, where waiting takes no connection to the database. */
  async inTurn<T>(digest: Buffer, run: () => Promise<T>): Promise<T> {
    const id = digest.toString('base64');
    const deadline = performance.now() + TURN_MS;
    for (let other; (other = this.underWay.get(id));) {
      const isStored = await other.then(
        () => true,
        (error) => error instanceof AnsweredBefore, // otherwise no answer was stored, and this request tries
      );
      if (isStored) return run(); // this only reads the record, which needs no turn
      const cause = new Error('An equal request is still under way');
      if (performance.now() > deadline) throw new DatabaseUnavailable(true, { cause });
    }
    const running = run().finally(() => this.underWay.delete(id));
    this.underWay.set(id, running);
    return running;
  }

  /** Inserts a record, or returns the existing one. The primary key makes equal requests on other replicas wait. */
  async begin(digest: Buffer, bodyHash: Buffer, manager: EntityManager): Promise<IdempotencyRecord | null> {
    const inserted = await manager.query<unknown[]>(BEGIN, [digest, bodyHash]);
    if (inserted.length > 0) return null;
    const known = await manager.findOneBy(IdempotencyRecord, { digest });
    if (!known) throw new DatabaseUnavailable(true); // it expired, and was deleted in between
    return known;
  }

  async complete(digest: Buffer, status: number, location: string | null, body: string | null, manager: EntityManager) {
    await manager.query(COMPLETE, [digest, status, location, body]);
  }

  async deleteExpired(): Promise<void> {
    if (!this.records.manager.dataSource.isInitialized) return;
    try {
      for (let deleted = PORTION; deleted === PORTION;)
        [, deleted] = await this.records.query<[unknown, number]>(DELETE_EXPIRED);
    } catch (error) {
      new Logger('Idempotency').warn(`Expired records were not deleted: ${(error as Error).message}`);
    }
  }
}
