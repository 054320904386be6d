import { afterAll, beforeAll, describe } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { itIsPaged } from './support/paged-list.js';
import { addOrders } from './support/orders.js';
import { type Service, startService } from './support/service.js';

describe('listOrders: GET /v1/store/orders', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/store/orders' });
  itAnswersErrors(() => service, { path: '/v1/store/orders' });
  itIsPaged({
    path: '/v1/store/orders',
    add: (own, count) => addOrders(own, ...Array.from({ length: count }, () => ({}))),
  });
});
