import { ApiSchema } from '@nestjs/swagger';
import { Bool, DateTime, Int, Int64 } from '../../api/fields.js';
import { PageQuery } from '../../api/pages.js';
import type { Order } from '../order.entity.js';

const PET_ID = { description: 'Identifier of the animal.', example: 1 };
const QUANTITY_RANGE = { minimum: 1, maximum: 1_000_000 };
const QUANTITY = { description: 'How many.', example: 2 };
const SHIP_DATE = { description: 'When the order ships.', example: '2026-03-31T14:30:00.000Z', optional: true };

@ApiSchema({ name: 'NewOrder', description: 'An order to add. The service assigns its id; it is not complete.' })
export class NewOrderDto {
  @Int64(PET_ID) readonly petId!: bigint;
  // If the schema had a `default`, the types of generated clients would require the field.
  @Int(QUANTITY_RANGE, { description: 'How many; 1 when absent.', example: 2, optional: true })
  readonly quantity?: number;
  @DateTime(SHIP_DATE) readonly shipDate?: Date;
}

@ApiSchema({ name: 'OrderChange', description: 'The fields of an order to change.' })
export class OrderChangeDto {
  @Int(QUANTITY_RANGE, { ...QUANTITY, optional: true }) readonly quantity?: number;
  @DateTime({ ...SHIP_DATE, nullable: true }) readonly shipDate?: Date | null;
  @Bool({ description: 'True completes the order: the animal is sold.', example: true, optional: true })
  readonly complete?: boolean;
}

@ApiSchema({ name: 'Order', description: 'An order of an animal.' })
export class OrderDto {
  @Int64({ description: 'Unique identifier assigned by the service on creation.', example: 1 }) readonly id!: bigint;
  @Int64(PET_ID) readonly petId!: bigint;
  @Int(QUANTITY_RANGE, QUANTITY) readonly quantity!: number;
  @DateTime(SHIP_DATE) readonly shipDate?: Date;
  @Bool({ description: 'Whether the order is complete, which is final.', example: false }) readonly complete!: boolean;

  static from({ id, petId, quantity, shipDate, complete }: Order): OrderDto {
    return { id, petId, quantity, ...(shipDate && { shipDate }), complete };
  }
}

export class OrderPath {
  @Int64({ description: 'Identifier of the order.', example: 1 }) readonly orderId!: bigint;
}

export class ListOrdersQuery extends PageQuery {
  @Int64({ description: 'Only orders of this animal.', optional: true }) readonly petId?: bigint;
  @Bool({ description: 'Only complete orders, or only open ones.', optional: true }) readonly complete?: boolean;
}
