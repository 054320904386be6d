import { animalNotAvailable } from '../../src/orders/orders.errors.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itTakesAnObject } from './support/json-input.js';
import { untilDecided } from './support/insist.js';
import { newOrder, ORDER, type OrderBody, statusOf } from './support/orders.js';
import { addPets } from './support/pets.js';
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

  it('adds an order, which makes its animal pending, and returns its Location', async () => {
    const body = await newOrder(service);
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body, complete: false });
    expect(await statusOf(service, body.petId)).toBe('pending');
    expect(answer.headers['location']).toBe(`/v1/store/orders/${id}`);
    expectAnswer(await service.get(`/v1/store/orders/${id}`), 200, answer.json);
  });

  it('adds one with only what is required', async () => {
    const [pet] = await addPets(service, { status: undefined });
    const body = { petId: pet!.id };
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body, quantity: 1, complete: false });
    expect(await statusOf(service, body.petId)).toBe('pending');
  });

  it.each([
    ['quantity', 1_000_000],
    ['shipDate', '9999-12-31T23:59:59.999Z'],
  ])('keeps %s exactly: %s', async (field, value) => {
    const body = { ...(await newOrder(service)), [field]: value };
    const answer = await service.post('/v1/store/orders', body);
    const { id } = answer.json as OrderBody;
    expectAnswer(answer, 201, { id, ...body, complete: false });
  });

  it.each([
    ['2026-03-31T14:30:00Z', '2026-03-31T14:30:00.000Z'],
    ['2026-03-31T14:30:00.5+02:00', '2026-03-31T12:30:00.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('answers the date %s in UTC', async (shipDate, answered) => {
    const answer = await service.post('/v1/store/orders', { ...(await newOrder(service)), shipDate });
    expect(answer.json).toMatchObject({ shipDate: answered });
    const { id } = answer.json as OrderBody;
    expectAnswer(await service.get(`/v1/store/orders/${id}`), 200, answer.json);
  });

  it.each(['pending', 'sold'] as const)(
    'refuses an animal that is %s, and changes nothing',
    async (status) => {
      const [pet] = await addPets(service, { status });
      const answer = await service.post('/v1/store/orders', { petId: pet!.id });
      expectError(answer, animalNotAvailable);
      expect(await statusOf(service, pet!.id)).toBe(status);
      expectAnswer(await service.get(`/v1/store/orders?petId=${pet!.id}`), 200, []);
    },
  );

  it('adds exactly one of a hundred orders of one animal at the same moment', async () => {
    const [pet] = await addPets(service, {});
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        untilDecided(() => service.post('/v1/store/orders', { petId: pet!.id })),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array<number>(99).fill(409)]);
    const { json } = await service.get(`/v1/store/orders?petId=${pet!.id}`);
    expect(json).toEqual([answers.find(({ status }) => status === 201)!.json]);
    expect(await statusOf(service, pet!.id)).toBe('pending');
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
    ['shipDate', null],
    ['shipDate', '2026-03-31T24:00:00Z'],
    ['shipDate', '2026-03-31T23:59:60Z'],
    ['shipDate', '2026-03-31t14:30:00z'],
    ['shipDate', '2026-03-31T14:30:00'],
    ['shipDate', '2026-03-31T14:30:00.1234Z'],
    ['shipDate', '0000-12-31T23:59:59Z'],
    ['shipDate', '9999-12-31T23:59:59-01:00'],
    ['quantity', null],
    ['quantity', '2'],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.post('/v1/store/orders', { ...ORDER, [field]: value });
    expectError(answer, 'invalid_field', expect.stringContaining(`"${field}"`));
  });

  it.each([-1, 9_223_372_036_854_775_807n])('refuses an animal that does not exist: %s', async (petId) => {
    expectError(
      await service.post('/v1/store/orders', { petId }),
      'invalid_field',
      'The field "petId" must be the id of an animal.',
    );
  });

  it('refuses an order that would be complete', async () => {
    const body = { ...ORDER, complete: false };
    expectError(await service.post('/v1/store/orders', body), 'unknown_field');
  });
});
