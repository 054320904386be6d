import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrders, type OrderBody } from './support/orders.js';
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
    ['complete', false],
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
