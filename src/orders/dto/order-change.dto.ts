import { ApiSchema } from '@nestjs/swagger';
import { OrderCompleteChange, OrderQuantityChange, OrderShipDateChange } from './order.fields.js';

@ApiSchema({ name: 'OrderChange', description: 'The fields of an order to change.' })
export class OrderChangeDto {
  @OrderQuantityChange()
  readonly quantity?: number;

  @OrderShipDateChange()
  readonly shipDate?: Date | null;

  @OrderCompleteChange()
  readonly complete?: true;
}
