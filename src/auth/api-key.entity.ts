import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('api_keys')
export class ApiKey {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) readonly id!: bigint;

  /** The id of the key with which a chain of rotations began; null if the key has replaced no other. */
  @Column('bigint', { name: 'origin_id', nullable: true }) readonly originId!: bigint | null;

  /** The client. */
  @Column('text') readonly name!: string;

  /** The people responsible for the client. */
  @Column('text', { nullable: true }) readonly owner!: string | null;
  @Column('text', { nullable: true }) readonly note!: string | null;

  /** SHA-256 of the whole key. */
  @Index('api_keys_hash_key', { unique: true })
  @Column('bytea')
  readonly hash!: Buffer;

  /** The first characters of the key, by which people recognise it. */
  @Column('text') readonly hint!: string;

  /** Whether all changes with the key are refused. */
  @Column('boolean', { name: 'read_only', default: false }) readonly readOnly!: boolean;

  @Column('timestamptz', { name: 'created_at' }) readonly createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) readonly expiresAt!: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) readonly revokedAt!: Date | null;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
}
