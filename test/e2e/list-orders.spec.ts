import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectError } from './support/expectations.js';
import { itIsPaged } from './support/paged-list.js';
import { addOrders, type OrderBody } from './support/orders.js';
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

  it('filters by animal and by completeness, and pages keep the filters', async () => {
    const [open, complete, other] = (await addOrders(service, {}, {}, {})) as [
      OrderBody,
      OrderBody,
      OrderBody,
    ];
    for (const { id } of [complete, other]) await service.patch(`/v1/store/orders/${id}`, { complete: true });
    const list = async (query: string) => (await service.get(`/v1/store/orders?${query}`)).json;
    expect(await list(`petId=${open.petId}`)).toEqual([open]);
    expect(await list(`petId=${open.petId}&complete=true`)).toEqual([]);
    expect(await list(`petId=${complete.petId}&complete=true`)).toEqual([{ ...complete, complete: true }]);
    expect(await list('complete=true')).toEqual(
      [complete, other].map((each) => ({ ...each, complete: true })),
    );
    expect(await list('complete=false&limit=100')).toContainEqual(open);
    expect(await list('petId=-9223372036854775808')).toEqual([]);
    const { headers } = await service.get('/v1/store/orders?complete=true&limit=1');
    expect(headers['link']).toContain(
      `</v1/store/orders?complete=true&limit=1&after=${complete.id}>; rel="next"`,
    );
  });

  it.each(['petId=x', 'petId=', 'complete=yes', 'complete=TRUE', 'complete=1'])(
    'refuses %s',
    async (query) => {
      expectError(await service.get(`/v1/store/orders?${query}`), 'invalid_parameter');
    },
  );
});
