import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The driver returns int8 as a string; most applications convert it to a number. */
const toNumber = { from: Number, to: (value: unknown) => value };

@Entity('pets')
export class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', transformer: toNumber })
  id!: number;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'category_id', transformer: toNumber })
  categoryId!: number;

  @Column('text', { nullable: true })
  status!: string | null;
}
