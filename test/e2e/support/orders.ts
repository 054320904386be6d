import { addTo, type Identified } from './additions.js';
import { addPets } from './pets.js';
import type { Service } from './service.js';

export interface OrderBody extends Identified {
  petId: number | bigint;
  quantity: number;
  shipDate?: string;
  complete: boolean;
}

/** A body with all fields. What it refers to need not exist; see `newOrder`. */
export const ORDER = { petId: 7, quantity: 2, shipDate: '2026-03-31T14:30:00.000Z' };

/** A body with all fields, and what it refers to. */
export async function newOrder(service: Service): Promise<Omit<OrderBody, 'id' | 'complete'>> {
  const [pet] = await addPets(service, {});
  return { ...ORDER, petId: pet!.id };
}

/** Adds orders, with defaults for the fields that a test does not set. */
export async function addOrders(service: Service, ...orders: Partial<OrderBody>[]): Promise<OrderBody[]> {
  const bodies = [];
  for (const order of orders) bodies.push({ ...(await newOrder(service)), ...order });
  return addTo(service, '/v1/store/orders', bodies);
}

export async function statusOf(service: Service, petId: number | bigint): Promise<string | undefined> {
  return ((await service.get(`/v1/pets/${petId}`)).json as { status?: string }).status;
}
