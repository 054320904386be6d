import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer, Options } from './support/client.js';
import { expectError } from './support/expectations.js';
import { addOrder, addPet, type PetBody, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const REX = { name: 'Rex', categoryId: 1, status: 'available' };
const ORDERS = '/v1/store/orders';

const under = (key: string): Options => ({ headers: { 'idempotency-key': key } });
const isReplay = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';

describe('A request with an Idempotency-Key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const create = (key: string, body: object | string = REX) => service.post('/v1/pets', body, under(key));

  describe('gets the first answer again, byte by byte', () => {
    async function expectSameTwice(send: (options: Options) => Promise<Answer>, status: number): Promise<void> {
      const options = under(randomUUID());
      const [first, second] = [await send(options), await send(options)];
      expect([first.status, isReplay(first)]).toEqual([status, false]);
      const { headers, text } = second;
      expect([second.status, isReplay(second), text]).toEqual([status, true, first.text]);
      for (const name of ['location', 'content-type', 'cache-control']) expect(headers[name]).toBe(first.headers[name]);
      expect(headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }

    it('from createPet', async () => {
      await expectSameTwice((options) => service.post('/v1/pets', { ...REX, name: 'Rêx 🐕' }, options), 201);
    });

    it('from createOrder, although the animal is no longer available', async () => {
      const { id: petId } = await addPet(service);
      await expectSameTwice((options) => service.post(ORDERS, { petId }, options), 201);
    });

    it('from updateOrder, whether it changed anything or nothing', async () => {
      const { id } = await addOrder(service);
      for (const change of [{ quantity: 7 }, {}, { complete: true }])
        await expectSameTwice((options) => service.patch(`${ORDERS}/${id}`, change, options), 200);
    });

    it('from deleteOrder', async () => {
      const { id } = await addOrder(service);
      await expectSameTwice((options) => service.delete(`${ORDERS}/${id}`, options), 204);
    });

    it('even when the animal has changed since', async () => {
      const key = randomUUID();
      const first = await create(key);
      const { id } = first.json as PetBody;
      await addOrder(service, { petId: id });
      expect(await statusOf(service, id)).toBe('pending');
      const again = await create(key);
      expect([again.text, again.headers['location']]).toEqual([first.text, `/v1/pets/${id}`]);
    });

    it('whatever its query and its other headers are', async () => {
      const key = randomUUID();
      const first = await create(key);
      const headers = { 'idempotency-key': `"${key}"`, 'x-request-id': 'again' };
      const again = await service.post('/v1/pets?x=1', REX, { headers });
      expect([again.text, again.headers['x-request-id']]).toEqual([first.text, 'again']);
    });
  });

  describe('is refused', () => {
    it.each([
      ['is empty', ''],
      ['has 256 characters', 'k'.repeat(256)],
      ['holds a space', 'a b'],
      ['begins with a quote', '"abc'],
      ['has an escape in its quotes', '"a\\"b"'],
      ['is not ASCII', 'caf\u00e9'],
    ])('when the key %s', async (_, key) => {
      expectError(await create(key), 'invalid_idempotency_key');
    });

    it('with another body under a known key', async () => {
      const key = randomUUID();
      await create(key);
      for (const body of [{ ...REX, name: 'Max' }, `${JSON.stringify(REX)} `])
        expectError(await create(key, body), 'idempotency_key_reused');
      expectError(await create(key, '{'), 'invalid_json');
      expect(isReplay(await create(key))).toBe(true);
    });

    it('for its media type and its size before its key, and for its key before its content', async () => {
      const headers = { 'idempotency-key': '', 'content-type': 'text/plain' };
      expectError(await service.post('/v1/pets', REX, { headers }), 'unsupported_media_type');
      expectError(await create('', { ...REX, name: 'x'.repeat(20_000) }), 'payload_too_large');
      expectError(await create('', '{'), 'invalid_idempotency_key');
    });
  });

  it('may be corrected after a refusal, which is not remembered', async () => {
    const key = randomUUID();
    expectError(await create(key, { name: 'Rex' }), 'missing_field');
    expectError(await create(key, '{'), 'invalid_json');
    const done = await create(key);
    expect([done.status, isReplay(done)]).toEqual([201, false]);
    const { id, petId } = await addOrder(service);
    const refused = under(randomUUID());
    const atOnce = [1, 2, 3].map(() => service.post(ORDERS, { petId }, refused));
    for (const answer of await Promise.all(atOnce)) expectError(answer, 'animal_not_available');
    await service.delete(`${ORDERS}/${id}`);
    expect((await service.post(ORDERS, { petId }, refused)).status).toBe(201);
  });

  it('belongs to its operation and its path', async () => {
    const uuid = randomUUID();
    const [key, end] = [under(`1${uuid}`), under(uuid)];
    expect((await service.post('/v1/pets', REX, key)).status).toBe(201);
    for (const { id } of [await addOrder(service), await addOrder(service)]) {
      const path = `${ORDERS}/${id}`;
      const changed = await service.patch(path, { quantity: 3 }, key);
      expect([changed.status, isReplay(changed)]).toEqual([200, false]);
      const deleted = await service.delete(path, key);
      expect([deleted.status, isReplay(deleted)]).toEqual([204, false]);
      expect(isReplay(await service.patch(path, { quantity: 3 }, key))).toBe(true);
      expectError(await service.patch(`${path}1`, { quantity: 3 }, end), 'not_found');
    }
  });
});
