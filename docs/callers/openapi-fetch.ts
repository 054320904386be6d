import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const { BASE: baseUrl = '', KEY } = process.env;
const exact = { baseUrl, bodySerializer: (body: unknown) => stringify(body)! };
const store = createClient<paths>({ ...exact, headers: { Authorization: `Bearer ${KEY}` } });
const header = { 'Idempotency-Key': crypto.randomUUID() };
const max = { name: 'Max', categoryId: (2n ** 53n + 1n) as never, status: 'available' } as const;
const pets = [
  await store.POST('/pets', { body: { name: 'Rex', categoryId: 7 } }),
  await store.POST('/pets', { body: max, params: { header } }),
];
const ids = pets.map(({ data }) => data!.id);
const list = await store.GET('/pets', { params: { query: { status: 'available', ids } }, parseAs: 'text' });
const [big] = parse(list.data!, undefined, parseNumberAndBigInt) as { categoryId: bigint }[];
const refused = await store.GET('/pets', { params: { query: { ids: [1, 1] } } });

const body = { petId: ids[0]!, shipDate: new Date().toISOString() };
const order = async () => (await store.POST('/store/orders', { body })).data!.id;
const path = { orderId: await order() };
const changed = await store.PATCH('/store/orders/{orderId}', {
  params: { path },
  body: { quantity: 2, complete: false },
});
await store.DELETE('/store/orders/{orderId}', { params: { path } });
const missing = await store.GET('/store/orders/{orderId}', { params: { path } });
const params = { path: { orderId: await order() } };
const sold = await store.PATCH('/store/orders/{orderId}', { params, body: { complete: true } });
console.log(
  `${big!.categoryId} ${refused.error!.code} ${changed.data!.quantity} ${missing.error!.code} ${sold.data!.complete}`,
);
