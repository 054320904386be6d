import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The first success of a request, as it is sent again. */
@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'idempotency_records_pkey' })
  readonly digest!: Buffer;

  /** Of the request. */
  @Column('bytea', { name: 'body_hash' })
  readonly bodyHash!: Buffer;

  @Column('smallint')
  readonly status!: number;

  @Column('text', { nullable: true })
  readonly location!: string | null;

  @Column('text', { nullable: true })
  readonly body!: string | null;

  @Index('idempotency_records_created_at')
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  readonly createdAt!: Date;
}
