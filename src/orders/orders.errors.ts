import { declareError } from '../api/errors.js';

export const animalNotAvailable = declareError('animal_not_available', {
  status: 409,
  when: 'The animal is pending or sold, or there is none.',
  advice: 'Order another animal, or wait until the open order of this one is deleted.',
  onConstraint: ['orders_one_open', 'orders_pet_id_fkey'],
});

export const orderComplete = declareError('order_complete', {
  status: 409,
  when: 'The order is complete, which is final.',
  advice: 'Leave the order as it is.',
});
