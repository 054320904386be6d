import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPet, ORDER, type OrderBody, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const ORDERS = '/v1/store/orders';

describe('createOrder: POST /v1/store/orders', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

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
    ['2024-02-29T23:59:59.999-00:30', '2024-03-01T00:29:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0004-02-29T12:00:00.001Z', '0004-02-29T12:00:00.001Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
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

  it.each([-1, 9_223_372_036_854_775_807n])('refuses an animal that does not exist: %s', async (petId) => {
    expectError(await service.post(ORDERS, { petId }), 'animal_not_available');
  });

  it('adds exactly one of 8 orders of one animal at the same moment', async () => {
    const { id: petId } = await addPet(service);
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post(ORDERS, { petId })));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers) if (answer !== made[0]) expectError(answer, 'animal_not_available');
    expectAnswer(await service.get(`${ORDERS}?petId=${petId}`), 200, [made[0]!.json]);
    expect(await statusOf(service, petId)).toBe('pending');
  });

  it.each([
    ['petId', 1.5],
    ['petId', '7'],
    ['petId', 9_223_372_036_854_775_808n],
    ['quantity', 0],
    ['quantity', 1_000_001],
    ['quantity', 1.5],
    ['quantity', '2'],
    ['shipDate', 0],
    ['shipDate', ''],
    ['shipDate', '2026-03-31'],
    ['shipDate', '2026-02-30T12:00:00Z'],
    ['shipDate', '2025-02-29T12:00:00Z'],
    ['shipDate', '2026-03-31T24:00:00Z'],
    ['shipDate', '2026-03-31T23:59:60Z'],
    ['shipDate', '2026-03-31t14:30:00z'],
    ['shipDate', '2026-03-31T14:30:00'],
    ['shipDate', '2026-03-31T14:30:00.1234Z'],
    ['shipDate', '0001-01-01T00:00:00+00:01'],
    ['shipDate', '9999-12-31T23:59:59-01:00'],
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.post(ORDERS, { petId: 7, ...ORDER, [field]: value });
    expectError(answer, 'invalid_field', expect.stringMatching(`^The field "${field}" must be `));
  });

  it('takes no complete order', async () => {
    expectError(await service.post(ORDERS, { petId: 7, complete: false }), 'unknown_field');
  });
});
