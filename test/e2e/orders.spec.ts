import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrder, addPet, ORDER, type OrderBody, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const ORDERS = '/v1/store/orders';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('An order', () => {
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

  const wrong = ['petId=x', 'petId=', 'petId=1.0', 'complete=yes', 'complete=TRUE', 'complete=1', 'complete='];
  it.each(wrong)('is not listed by %s', async (query) => {
    expectError(await service.get(`${ORDERS}?${query}`), 'invalid_parameter');
  });

  it('is deleted alone, once, and frees its animal', async () => {
    const order = await addOrder(service);
    const other = await addOrder(service);
    const path = `${ORDERS}/${order.id}`;
    expect(await statusOf(service, order.petId)).toBe('pending');
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
      await run('ALTER TABLE idempotency_records ADD CONSTRAINT none_complete CHECK (status = 0)');
      const headers = { 'idempotency-key': 'none' };
      expectError(await service.post(ORDERS, { petId: id }, { headers }), 'internal_error');
      expectError(await service.patch(`${ORDERS}/${order.id}`, { complete: true }, { headers }), 'internal_error');
      expectError(await service.delete(`${ORDERS}/${order.id}`, { headers }), 'internal_error');
      await run('ALTER TABLE idempotency_records DROP CONSTRAINT none_complete');
      expect(await statusOf(service, id)).toBeUndefined();
      expectAnswer(await service.get(`${ORDERS}/${order.id}`), 200, order);
      expect((await service.post(ORDERS, { petId: id })).status).toBe(201);
      await run(`UPDATE pets SET status = 'available' WHERE id = ${id}`); // whatever it says, an order is open
      expectError(await service.post(ORDERS, { petId: id }), 'animal_not_available');
    });
  });

  const missing = ['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'];
  it.each(missing)('does not exist with id %s', async (id) => {
    expectError(await service.get(`${ORDERS}/${id}`), 'not_found');
    expectError(await service.patch(`${ORDERS}/${id}`, { quantity: 3 }), 'not_found');
    expectError(await service.delete(`${ORDERS}/${id}`), 'not_found');
  });

  it.each(['{', '{"x":1}', '{}'])('does not exist where there can be none, whatever the body: %s', async (body) => {
    for (const headers of [{}, { 'idempotency-key': 'none' }, { 'transfer-encoding': 'chunked' }])
      expectError(await service.patch(`${ORDERS}/x`, body, { headers }), 'not_found');
  });
});

describe('createOrder: POST /v1/store/orders', () => {
  it.each(['available', undefined])('orders an animal with status %s, which becomes pending', async (status) => {
    const pet = await addPet(service, status ? { status } : {});
    const answer = await service.post(ORDERS, { petId: pet.id, ...ORDER });
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, petId: pet.id, ...ORDER, complete: false });
    expect(answer.headers['location']).toBe(`${ORDERS}/${id}`);
    expectAnswer(await service.get(`${ORDERS}/${id}`), 200, answer.json);
    expect(await statusOf(service, pet.id)).toBe('pending');
  });

  it('has a quantity of 1 and no shipDate if they are left out', async () => {
    const { id: petId } = await addPet(service);
    const answer = await service.post(ORDERS, { petId });
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, petId, quantity: 1, complete: false });
    expectAnswer(await service.get(`${ORDERS}/${id}`), 200, { id, petId, quantity: 1, complete: false });
  });

  it.each([
    ['2026-03-31T16:30:00+02:00', '2026-03-31T14:30:00.000Z'],
    ['2026-03-31T14:30:00.5Z', '2026-03-31T14:30:00.500Z'],
    ['2026-03-31T14:30:00.123999999Z', '2026-03-31T14:30:00.123Z'],
    ['1969-12-31T23:59:59.9999+00:00', '1969-12-31T23:59:59.999Z'],
    ['2024-02-29T23:59:59.999-00:30', '2024-03-01T00:29:59.999Z'],
    ['0004-02-29T12:00:00.001Z', '0004-02-29T12:00:00.001Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
  ])('answers the shipDate %s in UTC', async (shipDate, answered) => {
    const { id: petId } = await addPet(service);
    const answer = await service.post(ORDERS, { petId, shipDate });
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, petId, quantity: 1, shipDate: answered, complete: false });
    expectAnswer(await service.get(`${ORDERS}/${id}`), 200, answer.json);
  });

  it.each(['pending', 'sold'])('refuses an animal that is %s, and changes nothing', async (status) => {
    const { id: petId } = await addPet(service, { status });
    expectError(await service.post(ORDERS, { petId }), 'animal_not_available');
    expect(await statusOf(service, petId)).toBe(status);
    expectAnswer(await service.get(`${ORDERS}?petId=${petId}`), 200, []);
  });

  it.each([
    ['petId', 1.5],
    ['petId', '7'],
    ['quantity', 0],
    ['quantity', 1_000_001],
    ['quantity', 1.5],
    ['shipDate', 0],
    ['shipDate', '2026-03-31'],
    ['shipDate', '2026-02-30T12:00:00Z'],
    ['shipDate', '2026-03-31t14:30:00z'],
    ['shipDate', '2026-03-31T14:30:00.0000000000Z'],
    ['shipDate', '9999-12-31T23:59:59-01:00'],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.post(ORDERS, { petId: 7, ...ORDER, [field]: value });
    expectError(answer, 'invalid_field', expect.stringMatching(`^The field "${field}" must be `));
  });

  it('takes no complete order', async () => {
    expectError(await service.post(ORDERS, { petId: 7, complete: false }), 'unknown_field');
  });
});

describe('updateOrder: PATCH /v1/store/orders/{orderId}', () => {
  it.each([
    ['quantity', 1_000_000],
    ['shipDate', '2026-04-01T08:00:00.250Z'],
    ['complete', true],
  ])('changes %s alone, and a complete order sells its animal', async (field, value) => {
    const before = await addOrder(service);
    const changed = { ...before, [field]: value };
    expectAnswer(await service.patch(`${ORDERS}/${before.id}`, { [field]: value }), 200, changed);
    expectAnswer(await service.get(`${ORDERS}/${before.id}`), 200, changed);
    expect(await statusOf(service, before.petId)).toBe(field === 'complete' ? 'sold' : 'pending');
  });

  it('clears the shipDate with null', async () => {
    const { shipDate: _, ...rest } = await addOrder(service);
    expectAnswer(await service.patch(`${ORDERS}/${rest.id}`, { shipDate: null }), 200, rest);
    expectAnswer(await service.get(`${ORDERS}/${rest.id}`), 200, rest);
  });

  it.each([{}, { complete: false }])('changes nothing of an open order with %j', async (change) => {
    const order = await addOrder(service);
    expectAnswer(await service.patch(`${ORDERS}/${order.id}`, change), 200, order);
    expectAnswer(await service.get(`${ORDERS}/${order.id}`), 200, order);
  });

  it('refuses to change a complete order, but takes the values that it has', async () => {
    const order = await addOrder(service);
    const path = `${ORDERS}/${order.id}`;
    const complete = { ...order, complete: true };
    expectAnswer(await service.patch(path, { complete: true }), 200, complete);
    for (const change of [{ quantity: 3 }, { shipDate: null }, { complete: true, quantity: 3 }, { complete: false }])
      expectError(await service.patch(path, change), 'order_complete');
    for (const same of [{}, { complete: true }, { quantity: 2, shipDate: '2026-03-31T16:30:00+02:00' }])
      expectAnswer(await service.patch(path, same), 200, complete);
    expectAnswer(await service.get(path), 200, complete);
    expect(await statusOf(service, order.petId)).toBe('sold');
  });

  it('does not take another animal, or invalid values', async () => {
    const { id, petId } = await addOrder(service);
    expectError(await service.patch(`${ORDERS}/${id}`, { petId }), 'unknown_field');
    for (const wrong of [{ quantity: 0 }, { complete: 'true' }])
      expectError(await service.patch(`${ORDERS}/${id}`, wrong), 'invalid_field');
  });
});
