import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

@Entity('pets')
@Index('pets_status_id', ['status', 'id'])
@Check('pets_name_length', 'char_length(name) BETWEEN 1 AND 255')
@Check('pets_status_known', "status IN ('available', 'pending', 'sold')")
export class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) readonly id!: bigint;
  @Column('text') readonly name!: string;
  @Column('bigint', { name: 'category_id' }) readonly categoryId!: bigint;
  @Column('text', { nullable: true }) readonly status!: PetStatus | null;
}
