import { ApiSchema } from '@nestjs/swagger';
import { Field } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';
import type { Order } from '../order.entity.js';
import { OrderComplete, OrderPetId, OrderQuantity, OrderShipDate } from './order.fields.js';

@ApiSchema({ name: 'Order', description: 'An order of an animal.' })
export class OrderDto {
  @Field(int64(), { description: 'Unique identifier assigned by the service on creation.', example: 1 })
  readonly id!: bigint;

  @OrderPetId()
  readonly petId!: bigint;

  @OrderQuantity()
  readonly quantity!: number;

  @OrderShipDate()
  readonly shipDate?: Date;

  @OrderComplete()
  readonly complete!: boolean;

  static from({ id, petId, quantity, shipDate, complete }: Order): OrderDto {
    return { id, petId, quantity, shipDate: shipDate ?? undefined, complete };
  }
}
