import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrders, type OrderBody } from './support/orders.js';
import { type Service, startService } from './support/service.js';

describe('getOrder: GET /v1/store/orders/{orderId}', () => {
  let service: Service;
  let order: OrderBody;
  beforeAll(async () => {
    service = await startService();
    [order] = (await addOrders(service, {})) as [OrderBody];
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/store/orders/1' });
  itAnswersErrors(() => service, { path: '/v1/store/orders/1' });

  it('returns the order', async () => {
    expectAnswer(await service.get(`/v1/store/orders/${order.id}`), 200, order);
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.get(`/v1/store/orders/${id}`), 'not_found');
    },
  );
});
