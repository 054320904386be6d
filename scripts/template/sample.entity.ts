import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('samples')
@Index('samples_name_unique', ['name'], { unique: true })
@Check('samples_name_length', 'char_length(name) BETWEEN 1 AND 255')
export class Sample {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) readonly id!: bigint;

  @Column('text') readonly name!: string;

  @Column('timestamp with time zone', { name: 'open_from', precision: 3, nullable: true })
  readonly openFrom!: Date | null;
}
