import { PathParameter } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';

export class OrderPath {
  @PathParameter(int64(), { description: 'Identifier of the order.', example: 1 })
  readonly orderId!: bigint;
}
