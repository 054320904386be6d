export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const PETS = '/v1/pets';
const ORDERS = '/v1/store/orders';

/** One request of every operation. */
export const OPERATIONS: Readonly<Record<string, SampleRequest>> = {
  listPets: { method: 'GET', path: PETS },
  createPet: { method: 'POST', path: PETS, body: { name: 'Rex', categoryId: 1 } },
  getPet: { method: 'GET', path: `${PETS}/1` },
  listOrders: { method: 'GET', path: ORDERS },
  createOrder: { method: 'POST', path: ORDERS, body: { petId: 1 } },
  getOrder: { method: 'GET', path: `${ORDERS}/1` },
  updateOrder: { method: 'PATCH', path: `${ORDERS}/1`, body: { quantity: 2 } },
  deleteOrder: { method: 'DELETE', path: `${ORDERS}/1` },
};
