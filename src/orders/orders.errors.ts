import { declareError } from '../api/errors/declare-error.js';

export const noSuchAnimal = declareError('invalid_field', {
  message: 'The field "petId" must be the id of an animal.',
  onConstraint: 'orders_pet_id_fkey',
});

export const animalNotAvailable = declareError('animal_not_available', {
  status: 409,
  when: 'The animal is pending or sold.',
  advice: 'Order another animal, or wait until the open order of this one is deleted.',
  onConstraint: 'orders_one_open',
});

export const orderComplete = declareError('order_complete', {
  status: 409,
  when: 'The order is complete, which is final.',
  advice: 'Leave the order as it is.',
});
