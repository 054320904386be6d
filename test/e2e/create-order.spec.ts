import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itTakesAnObject } from './support/json-input.js';
import { newOrder, ORDER, type OrderBody } from './support/orders.js';
import { type Service, startService } from './support/service.js';

describe('createOrder: POST /v1/store/orders', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'POST', path: '/v1/store/orders', body: ORDER });
  itTakesAnObject(() => service, {
    path: '/v1/store/orders',
    body: ORDER,
    required: ['petId'],
  });

  it('adds an order and returns its Location', async () => {
    const body = await newOrder(service);
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body });
    expect(answer.headers['location']).toBe(`/v1/store/orders/${id}`);
    expectAnswer(await service.get(`/v1/store/orders/${id}`), 200, answer.json);
  });

  it('adds one with only what is required', async () => {
    const { petId } = await newOrder(service);
    const body = { petId };
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body, quantity: 1, complete: false });
  });

  it.each([
    ['quantity', 1_000_000],
    ['shipDate', '9999-12-31T23:59:59.999Z'],
  ])('keeps %s exactly: %s', async (field, value) => {
    const body = { ...(await newOrder(service)), [field]: value };
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body });
  });

  it.each([
    ['petId', 1.5],
    ['petId', '7'],
    ['petId', 9_223_372_036_854_775_808n],
    ['quantity', 0],
    ['quantity', 1_000_001],
    ['quantity', 1.5],
    ['shipDate', '2026-02-30T12:00:00Z'],
    ['shipDate', '2026-03-31'],
    ['shipDate', 0],
    ['complete', 'true'],
    ['complete', 1],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.post('/v1/store/orders', { ...ORDER, [field]: value });
    expectError(answer, 'invalid_field', expect.stringContaining(`"${field}"`));
  });

  it.each(['petId'])('refuses %s of nothing', async (field) => {
    const body = { ...(await newOrder(service)), [field]: -1 };
    expectError(
      await service.post('/v1/store/orders', body),
      'invalid_field',
      expect.stringContaining(`"${field}"`),
    );
  });
});
