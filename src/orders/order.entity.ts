import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('orders')
@Index('orders_pet_id', ['petId', 'id'])
@Index('orders_complete_id', ['complete', 'id'])
@Index('orders_one_open', ['petId'], { unique: true, where: 'NOT complete' })
@Check('orders_quantity_range', 'quantity BETWEEN 1 AND 1000000')
export class Order {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) readonly id!: bigint;

  @ForeignKey('pets', { name: 'orders_pet_id_fkey' })
  @Column('bigint', { name: 'pet_id' })
  readonly petId!: bigint;

  @Column('integer') readonly quantity!: number;

  @Column('timestamp with time zone', { name: 'ship_date', precision: 3, nullable: true })
  readonly shipDate!: Date | null;

  @Column('boolean') readonly complete!: boolean;
}
