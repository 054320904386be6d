import { Field, OptionalField } from '../../api/validation/field.decorator.js';
import { boolean, dateTime, int64, integer, nullable } from '../../api/validation/rule.js';

// The fields of an order, shared by input and output.

export const OrderPetId = () => Field(int64(), { description: 'Identifier of the animal.', example: 7 });

const quantityRule = integer({ minimum: 1, maximum: 1_000_000 });
const aboutQuantity = { description: 'The quantity.', example: 2 };

export const OrderQuantity = () => Field(quantityRule, aboutQuantity);
export const NewOrderQuantity = () => OptionalField(quantityRule, { ...aboutQuantity, default: 1 });
export const OrderQuantityChange = () => OptionalField(quantityRule, aboutQuantity);

const shipDateRule = dateTime();
const aboutShipDate = { description: 'When the order ships.', example: '2026-03-31T14:30:00.000Z' };

export const OrderShipDate = () => OptionalField(shipDateRule, aboutShipDate);
export const OrderShipDateChange = () => OptionalField(nullable(shipDateRule), aboutShipDate);

export const OrderComplete = () =>
  Field(boolean(), { description: 'Whether the order is complete, which is final.', example: false });
export const OrderCompleteChange = () =>
  OptionalField(boolean({ only: true }), {
    description: 'Completes the order: the animal is sold.',
    example: true,
  });
