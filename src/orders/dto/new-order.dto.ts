import { ApiSchema } from '@nestjs/swagger';
import { NewOrderQuantity, OrderPetId, OrderShipDate } from './order.fields.js';

@ApiSchema({
  name: 'NewOrder',
  description: 'An order to add. The service assigns its id; it is not complete.',
})
export class NewOrderDto {
  @OrderPetId()
  readonly petId!: bigint;

  @NewOrderQuantity()
  readonly quantity!: number;

  @OrderShipDate()
  readonly shipDate?: Date;
}
