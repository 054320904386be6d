import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrder, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const ORDERS = '/v1/store/orders';

describe('updateOrder: PATCH /v1/store/orders/{orderId}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    ['quantity', 1_000_000],
    ['shipDate', '2026-04-01T08:00:00.250Z'],
    ['complete', true],
  ])('changes %s alone', async (field, value) => {
    const before = await addOrder(service);
    const changed = { ...before, [field]: value };
    expectAnswer(await service.patch(`${ORDERS}/${before.id}`, { [field]: value }), 200, changed);
    expectAnswer(await service.get(`${ORDERS}/${before.id}`), 200, changed);
  });

  it('clears the shipDate with null', async () => {
    const { shipDate: _, ...rest } = await addOrder(service);
    expectAnswer(await service.patch(`${ORDERS}/${rest.id}`, { shipDate: null }), 200, rest);
    expectAnswer(await service.get(`${ORDERS}/${rest.id}`), 200, rest);
  });

  it('changes nothing with an empty object', async () => {
    const order = await addOrder(service);
    expectAnswer(await service.patch(`${ORDERS}/${order.id}`, {}), 200, order);
    expectAnswer(await service.get(`${ORDERS}/${order.id}`), 200, order);
  });

  it('sells the animal with a complete order, and only then', async () => {
    const { id, petId } = await addOrder(service);
    await service.patch(`${ORDERS}/${id}`, { quantity: 3 });
    expect(await statusOf(service, petId)).toBe('pending');
    await service.patch(`${ORDERS}/${id}`, { complete: true });
    expect(await statusOf(service, petId)).toBe('sold');
    expectError(await service.post(ORDERS, { petId }), 'animal_not_available');
  });

  it('refuses to change a complete order, but takes the values that it has', async () => {
    const order = await addOrder(service);
    const path = `${ORDERS}/${order.id}`;
    const complete = { ...order, complete: true };
    expectAnswer(await service.patch(path, { complete: true }), 200, complete);
    for (const change of [{ quantity: 3 }, { shipDate: null }, { complete: true, quantity: 3 }])
      expectError(await service.patch(path, change), 'order_complete');
    for (const same of [{}, { complete: true }, { quantity: 2, shipDate: '2026-03-31T16:30:00+02:00' }])
      expectAnswer(await service.patch(path, same), 200, complete);
    expectAnswer(await service.get(path), 200, complete);
    expect(await statusOf(service, order.petId)).toBe('sold');
  });

  it('leaves one state of two changes at the same moment', async () => {
    const { id, petId } = await addOrder(service);
    const path = `${ORDERS}/${id}`;
    const [changed, deleted] = await Promise.all([service.patch(path, { complete: true }), service.delete(path)]);
    if (changed.status === 200) {
      expectError(deleted, 'order_complete');
      expect(await statusOf(service, petId)).toBe('sold');
    } else {
      expect(deleted.status).toBe(204);
      expectError(changed, 'not_found');
      expect(await statusOf(service, petId)).toBe('available');
    }
  });

  it.each([
    ['quantity', 0],
    ['quantity', null],
    ['shipDate', '2026-02-30T12:00:00Z'],
    ['complete', 'true'],
    ['complete', false],
    ['complete', null],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const { id } = await addOrder(service);
    const answer = await service.patch(`${ORDERS}/${id}`, { [field]: value });
    expectError(answer, 'invalid_field', expect.stringMatching(`^The field "${field}" must be `));
  });

  it('takes neither an id nor an animal', async () => {
    const { id, petId } = await addOrder(service);
    expectError(await service.patch(`${ORDERS}/${id}`, { id }), 'unknown_field');
    expectError(await service.patch(`${ORDERS}/${id}`, { petId }), 'unknown_field');
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])('answers 404 for id %s', async (id) => {
    expectError(await service.patch(`${ORDERS}/${id}`, { quantity: 3 }), 'not_found');
  });
});
