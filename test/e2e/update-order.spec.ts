import { animalNotAvailable, orderComplete } from '../../src/orders/orders.errors.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrders, type OrderBody, statusOf } from './support/orders.js';
import { type Service, startService } from './support/service.js';

describe('updateOrder: PATCH /v1/store/orders/{orderId}', () => {
  let service: Service;
  let order: OrderBody;
  beforeAll(async () => {
    service = await startService();
    [order] = (await addOrders(service, {})) as [OrderBody];
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'PATCH', path: '/v1/store/orders/1', body: {} });

  it.each([
    ['quantity', 1],
    ['shipDate', '2026-04-01T08:00:00.250Z'],
    ['complete', true],
  ])('changes %s alone', async (field, value) => {
    const [before] = await addOrders(service, {});
    const answer = await service.patch(`/v1/store/orders/${before!.id}`, { [field]: value });
    expectAnswer(answer, 200, { ...before, [field]: value });
    expectAnswer(await service.get(`/v1/store/orders/${before!.id}`), 200, answer.json);
  });

  it.each(['shipDate'] as const)('clears %s', async (field) => {
    const [before] = await addOrders(service, {});
    const { [field]: _, ...rest } = before!;
    expectAnswer(await service.patch(`/v1/store/orders/${before!.id}`, { [field]: null }), 200, rest);
  });

  it('changes nothing without fields', async () => {
    expectAnswer(await service.patch(`/v1/store/orders/${order.id}`, {}), 200, order);
  });

  it('sells the animal with a complete order', async () => {
    const [{ id, petId }] = (await addOrders(service, {})) as [OrderBody];
    await service.patch(`/v1/store/orders/${id}`, { quantity: 3 });
    expect(await statusOf(service, petId)).toBe('pending');
    await service.patch(`/v1/store/orders/${id}`, { complete: true });
    expect(await statusOf(service, petId)).toBe('sold');
    expectError(await service.post('/v1/store/orders', { petId }), animalNotAvailable);
  });

  it.each(['application/json', 'application/merge-patch+json'])('takes %s', async (type) => {
    const options = { headers: { 'content-type': type } };
    expectAnswer(await service.patch(`/v1/store/orders/${order.id}`, {}, options), 200, order);
  });

  it('changes nothing of a complete order, and takes the values that it has', async () => {
    const [{ id, petId }] = (await addOrders(service, {})) as [OrderBody];
    const path = `/v1/store/orders/${id}`;
    const { json } = await service.patch(path, { complete: true });
    for (const change of [{ quantity: 3 }, { shipDate: null }, { complete: true, quantity: 3 }]) {
      expectError(await service.patch(path, change), orderComplete);
    }
    for (const same of [{}, { complete: true }, { quantity: 2, shipDate: '2026-03-31T16:30:00+02:00' }]) {
      expectAnswer(await service.patch(path, same), 200, json);
    }
    expectAnswer(await service.get(path), 200, json);
    expect(await statusOf(service, petId)).toBe('sold');
  });

  it.each([['{"quantity":0}'], ['{'], ['{"surprise":1}'], ['[]']])(
    'answers 404 for an order that does not exist before it judges the body %s',
    async (body) => {
      expectError(await service.patch('/v1/store/orders/9223372036854775807', body), 'not_found');
      expectError(await service.patch('/v1/store/orders/x', body), 'not_found');
    },
  );

  it.each(['9223372036854775807', 'x'])('judges type and size of the body before the id %s', async (id) => {
    const path = `/v1/store/orders/${id}`;
    const options = { headers: { 'content-type': 'text/plain' } };
    expectError(await service.patch(path, '{}', options), 'unsupported_media_type');
    expectError(await service.patch(path, ' '.repeat(16_385)), 'payload_too_large');
  });

  it.each([
    ['id', 1],
    ['surprise', 1],
  ])('refuses the unknown field %s', async (field, value) => {
    expectError(await service.patch(`/v1/store/orders/${order.id}`, { [field]: value }), 'unknown_field');
  });

  it.each([
    ['quantity', 0],
    ['quantity', null],
    ['shipDate', '2026-02-30T12:00:00Z'],
    ['complete', 'true'],
    ['complete', false],
    ['complete', null],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.patch(`/v1/store/orders/${order.id}`, { [field]: value });
    expectError(answer, 'invalid_field', expect.stringContaining(`"${field}"`));
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.patch(`/v1/store/orders/${id}`, {}), 'not_found');
    },
  );
});
