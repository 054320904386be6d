import type { Service } from './service.js';

export interface PetBody {
  id: number | bigint;
  name: string;
  categoryId: number | bigint;
  status?: string;
}

export interface OrderBody {
  id: number | bigint;
  petId: number | bigint;
  quantity: number;
  shipDate?: string;
  complete: boolean;
}

export async function addPet(service: Service, pet: Partial<PetBody> = {}): Promise<PetBody> {
  return add(service, '/v1/pets', { name: 'Rex', categoryId: 1, ...pet });
}

/** Adds animals one after the other, in the order of their ids. */
export async function addPets(service: Service, count: number, pet: Partial<PetBody> = {}): Promise<PetBody[]> {
  const pets: PetBody[] = [];
  while (pets.length < count) pets.push(await addPet(service, pet));
  return pets;
}

export const ORDER = { quantity: 2, shipDate: '2026-03-31T14:30:00.000Z' };

/** Adds an order with all fields, of an animal of its own unless it names one. */
export async function addOrder(service: Service, order: Partial<OrderBody> = {}): Promise<OrderBody> {
  const petId = order.petId ?? (await addPet(service)).id;
  return add(service, '/v1/store/orders', { ...ORDER, ...order, petId });
}

export async function addOrders(service: Service, count: number): Promise<OrderBody[]> {
  const orders: OrderBody[] = [];
  while (orders.length < count) orders.push(await addOrder(service));
  return orders;
}

export async function statusOf(service: Service, petId: number | bigint): Promise<string | undefined> {
  return ((await service.get(`/v1/pets/${petId}`)).json as PetBody).status;
}

async function add<T>(service: Service, path: string, body: object): Promise<T> {
  const answer = await service.post(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.json as T;
}
