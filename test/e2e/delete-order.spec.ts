import { orderComplete } from '../../src/orders/orders.errors.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrders, type OrderBody, statusOf } from './support/orders.js';
import { type Service, startService } from './support/service.js';

describe('deleteOrder: DELETE /v1/store/orders/{orderId}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'DELETE', path: '/v1/store/orders/1' });

  it('deletes the order alone, once', async () => {
    const [order, other] = await addOrders(service, {}, {});
    const answer = await service.delete(`/v1/store/orders/${order!.id}`);
    expect({ status: answer.status, body: answer.text }).toEqual({ status: 204, body: '' });
    expectError(await service.delete(`/v1/store/orders/${order!.id}`), 'not_found');
    expectError(await service.get(`/v1/store/orders/${order!.id}`), 'not_found');
    expect((await service.delete(`/v1/store/orders/${other!.id}`)).status).toBe(204);
  });

  it('makes the animal available for another order', async () => {
    const [{ id, petId }] = (await addOrders(service, {})) as [OrderBody];
    await service.delete(`/v1/store/orders/${id}`);
    expect(await statusOf(service, petId)).toBe('available');
    expect((await service.post('/v1/store/orders', { petId })).status).toBe(201);
  });

  it('refuses a complete order', async () => {
    const [{ id, petId }] = (await addOrders(service, {})) as [OrderBody];
    const { json } = await service.patch(`/v1/store/orders/${id}`, { complete: true });
    expectError(await service.delete(`/v1/store/orders/${id}`), orderComplete);
    expectAnswer(await service.get(`/v1/store/orders/${id}`), 200, json);
    expect(await statusOf(service, petId)).toBe('sold');
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.delete(`/v1/store/orders/${id}`), 'not_found');
    },
  );
});
