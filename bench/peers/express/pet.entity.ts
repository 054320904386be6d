import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The driver gives an int8 as text; most users turn it into a number. */
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
