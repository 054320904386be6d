import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrder, addPet, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const ORDERS = '/v1/store/orders';

describe('An order', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('is found by its animal and by whether it is complete, and pages keep the filters', async () => {
    const [open, complete, other] = [await addOrder(service), await addOrder(service), await addOrder(service)];
    for (const { id } of [complete, other]) await service.patch(`${ORDERS}/${id}`, { complete: true });
    const list = async (query: string) => (await service.get(`${ORDERS}?${query}`)).json;
    expect(await list(`petId=${open.petId}`)).toEqual([open]);
    expect(await list(`petId=${open.petId}&complete=true`)).toEqual([]);
    expect(await list(`petId=${complete.petId}&complete=true`)).toEqual([{ ...complete, complete: true }]);
    const both = [complete, other].map((each) => ({ ...each, complete: true }));
    expect(await list(`complete=true&after=${open.id}`)).toEqual(both);
    expect(await list(`complete=false&after=${BigInt(open.id) - 1n}`)).toEqual([open]);
    expect(await list('petId=-9223372036854775808')).toEqual([]);
    const { headers } = await service.get(`${ORDERS}?complete=true&limit=1&after=${open.id}`);
    const page = `${ORDERS}?complete=true&limit=1`;
    expect(headers['link']).toBe(`<${page}>; rel="first", <${page}&after=${complete.id}>; rel="next"`);
  });

  it.each(['petId=x', 'petId=', 'petId=1.0', 'complete=yes', 'complete=TRUE', 'complete=1', 'complete='])(
    'is not listed by %s',
    async (query) => {
      expectError(await service.get(`${ORDERS}?${query}`), 'invalid_parameter');
    },
  );

  it('is read', async () => {
    const order = await addOrder(service);
    expectAnswer(await service.get(`${ORDERS}/${order.id}`), 200, order);
  });

  it('is deleted alone, once, and frees its animal', async () => {
    const order = await addOrder(service);
    const other = await addOrder(service);
    const path = `${ORDERS}/${order.id}`;
    const answer = await service.delete(path);
    expect({ status: answer.status, body: answer.text }).toEqual({ status: 204, body: '' });
    expect(answer.headers['cache-control']).toBe('no-store');
    expectError(await service.delete(path), 'not_found');
    expectError(await service.get(path), 'not_found');
    expectAnswer(await service.get(`${ORDERS}/${other.id}`), 200, other);
    expect(await statusOf(service, order.petId)).toBe('available');
    expect((await service.post(ORDERS, { petId: order.petId })).status).toBe(201);
  });

  it('that is complete is not deleted', async () => {
    const { id, petId } = await addOrder(service);
    const { json } = await service.patch(`${ORDERS}/${id}`, { complete: true });
    expectError(await service.delete(`${ORDERS}/${id}`), 'order_complete');
    expectAnswer(await service.get(`${ORDERS}/${id}`), 200, json);
    expect(await statusOf(service, petId)).toBe('sold');
  });

  describeInside('and its animal', () => {
    it('change together or not at all', async () => {
      const run = (sql: string) => service.database.query(sql);
      const { id } = await addPet(service);
      const order = await addOrder(service);
      await run('ALTER TABLE orders ADD CONSTRAINT no_thirteen CHECK (quantity <> 13)');
      await run(`ALTER TABLE pets ADD CONSTRAINT none_sold CHECK (status <> 'sold') NOT VALID`);
      expectError(await service.post(ORDERS, { petId: id, quantity: 13 }), 'internal_error');
      expectError(await service.patch(`${ORDERS}/${order.id}`, { complete: true }), 'internal_error');
      await run('ALTER TABLE orders DROP CONSTRAINT no_thirteen');
      await run('ALTER TABLE pets DROP CONSTRAINT none_sold');
      expect(await statusOf(service, id)).toBeUndefined();
      expectAnswer(await service.get(`${ORDERS}/${order.id}`), 200, order);
      expect((await service.post(ORDERS, { petId: id })).status).toBe(201);
    });
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'does not exist with id %s',
    async (id) => {
      expectError(await service.get(`${ORDERS}/${id}`), 'not_found');
      expectError(await service.delete(`${ORDERS}/${id}`), 'not_found');
    },
  );
});
