import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import { client } from './api/client.gen.js';
import * as store from './api/sdk.gen.js';
import { zPets } from './api/zod.gen.js';

client.setConfig({ baseUrl: process.env.BASE!, auth: process.env.KEY!, bodySerializer: (body) => stringify(body)! });
const headers = { 'Idempotency-Key': crypto.randomUUID() };
const max = { name: 'Max', categoryId: (2n ** 53n + 1n) as never, status: 'available' } as const;
const pets = [
  await store.createPet({ body: { name: 'Rex', categoryId: 7 } }),
  await store.createPet({ body: max, headers }),
];
const ids = pets.map(({ data }) => data!.id);
const list = await store.listPets({ query: { status: 'available', ids }, parseAs: 'text' });
const [big] = zPets.parse(parse(String(list.data), undefined, parseNumberAndBigInt));
const refused = await store.listPets({ query: { ids: [1, 1] } });

const body = { petId: ids[0]!, shipDate: new Date().toISOString() };
const path = { orderId: (await store.createOrder({ body })).data!.id };
const changed = await store.updateOrder({ path, body: { quantity: 2, complete: false } });
await store.deleteOrder({ path });
const missing = await store.getOrder({ path });
const { data } = await store.createOrder({ body });
const sold = await store.updateOrder({ path: { orderId: data!.id }, body: { complete: true } });
console.log(
  `${big!.categoryId} ${refused.error!.code} ${changed.data!.quantity} ${missing.error!.code} ${sold.data!.complete}`,
);
