import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseExactly, stringifyExactly } from '../../clients/typescript/src/exact-json.js';
import {
  AnimalStore,
  ApiError,
  type Deprecation,
  type ErrorCode,
  type ListOrdersQuery,
  type Pet,
  type Settings,
} from '../../clients/typescript/src/client.js';
import { type Service, startService } from './support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** A `fetch` that records requests, and answers the first ones from a list. */
class Sender {
  readonly requests: { method: string; url: string }[] = [];
  constructor(private readonly answers: Response[] = []) {}

  readonly fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    this.requests.push({ method: init?.method ?? '', url: String(url) });
    return this.answers.shift() ?? fetch(String(url), init);
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

describe('The TypeScript client', () => {
  let service: Service;
  const clientWith = (settings: Partial<Settings> = {}): AnimalStore =>
    new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.key, ...settings });
  beforeAll(async () => {
    service = await startService();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => service.stop());

  describe('keeps every digit of 64-bit integers', () => {
    it.each([0n, 1n, -1n, 9007199254740993n, MIN, MAX])('for category id %s', async (categoryId) => {
      const client = clientWith();
      const added = await client.createPet({ name: 'Rex "id":12', categoryId, status: 'sold' });
      expect(added).toEqual({ id: expect.any(BigInt), name: 'Rex "id":12', categoryId, status: 'sold' });
      expect(await client.getPet(added.id)).toEqual(added);
      expect(await client.listPets({ after: added.id - 1n, limit: 1 })).toEqual([added]);
    });

    it('for ids at both ends of the range', async () => {
      expect(await clientWith().listPets({ after: MAX })).toEqual([]);
      expect(await clientWith().listPets({ after: MIN, limit: 1 })).toHaveLength(1);
      await expect(clientWith().getPet(MIN)).rejects.toMatchObject({ code: 'not_found', status: 404 });
      const sender = new Sender([new Response(`[{"id":${MIN}},{"id" : ${MAX} }]`)]);
      expect(await clientWith(sender).listPets()).toEqual([{ id: MIN }, { id: MAX }]);
    });

    it('beside numbers and text of every kind', () => {
      const text = String.raw`{"\"id":"id","s":"\"id\":1","":["","1","\"2","é\u2028:"],"e":[-1.5e-3,1E5,-0,true,false,null]}`;
      expect(parseExactly(text)).toEqual(JSON.parse(text));
      expect(parseExactly('{"id":1,"quantity":2,"petId":null}')).toEqual({ id: 1n, quantity: 2, petId: null });
      const value = {
        'a"b': 'n1',
        skip: undefined,
        '': [undefined, null, ''],
        at: new Date(0),
        n: [0.1, -0],
      };
      expect(stringifyExactly(value)).toBe(JSON.stringify(value));
      expect(stringifyExactly({ in: [MAX, { id: MIN }] })).toBe(`{"in":[${MAX},{"id":${MIN}}]}`);
      for (const bad of ['', '01', '[1.]', '{"id":-}', '{"id":01}', '{"id":1 2}', '1 2', '"', '{"id":1,}']) {
        expect(() => parseExactly(bad)).toThrow(SyntaxError);
      }
    });
  });

  describe('iterates over all pages', () => {
    it('and yields each animal once, including those added during the iteration', async () => {
      const client = clientWith();
      const before: Pet[] = [];
      for (let i = 0; i < 7; i++) {
        before.push(await client.createPet({ name: `Walk ${i}`, categoryId: 7n, status: 'pending' }));
      }
      const seen: Pet[] = [];
      for await (const pet of client.pets({ status: 'pending', limit: 3 })) {
        seen.push(pet);
        if (seen.length <= 4) {
          await client.createPet({ name: 'Meanwhile', categoryId: 8n, status: 'pending' });
        }
      }
      expect(seen.filter(({ categoryId }) => categoryId === 7n)).toEqual(before);
      expect(seen.filter(({ categoryId }) => categoryId === 8n)).toHaveLength(4);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(11);
    });

    it('and requests no page after the last one, or after the caller stops', async () => {
      const sender = new Sender();
      expect(await all(clientWith(sender).pets({ status: 'pending', limit: 11 }))).toHaveLength(11);
      expect(sender.requests).toHaveLength(1);
      const walk = clientWith(sender).pets({ limit: 1 });
      await walk.next();
      await walk.return();
      expect(sender.requests).toHaveLength(2);
    });

    it('and ends when a cache gives the same page again', async () => {
      const sameQuery = (url: unknown, init?: RequestInit): Promise<Response> =>
        fetch(String(url).replace(/&?after=\d+/, ''), init);
      await expect(all(clientWith({ fetch: sameQuery }).pets({ limit: 1 }))).rejects.toThrow('same page again');
    });

    it('and works when a proxy strips the Link header', async () => {
      const withoutLink = async (url: unknown, init?: RequestInit): Promise<Response> =>
        new Response(await (await fetch(String(url), init)).text());
      const pets = clientWith({ fetch: withoutLink }).pets({ status: 'pending', limit: 4 });
      expect(await all(pets)).toHaveLength(11);
    });
  });

  it('reads animals by id, in one request or a page at a time', async () => {
    const added: Pet[] = [];
    for (const name of ['a', 'b', 'c']) added.push(await clientWith().createPet({ name, categoryId: 1n }));
    const [a, b, c] = added.map(({ id }) => id) as [bigint, bigint, bigint];
    const sender = new Sender();
    const client = clientWith(sender);
    expect(await client.listPets({ ids: [MAX, c, a, MIN] })).toEqual([added[0], added[2]]);
    expect(await all(client.pets({ ids: [c, b, a], limit: 1 }))).toEqual(added);
    expect(sender.requests).toHaveLength(4);
    await expect(client.listPets({ ids: [a, a] })).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(client.listPets({ ids: [] })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('calls any operation of the document by its method and path, and nothing else', async () => {
    const client = clientWith();
    const [body, idempotencyKey] = [{ name: 'Any', categoryId: 1n }, 'any'];
    const pet = await client.call('POST', '/pets', { body, idempotencyKey });
    expect(await client.call('POST', '/pets', { body, idempotencyKey })).toEqual(pet);
    expect(await all(client.pages('/pets', { after: (pet.id satisfies bigint) - 1n }))).toEqual([pet]);
    // @ts-expect-error -- There is no such path.
    await expect(client.call('GET', '/animals')).rejects.toMatchObject({ code: 'not_found' });
    // @ts-expect-error -- The path has no such method.
    await expect(client.call('PUT', '/pets')).rejects.toMatchObject({ code: 'method_not_allowed' });
    // @ts-expect-error -- The body needs an animal.
    await expect(client.call('POST', '/store/orders', { body: {} })).rejects.toMatchObject({ code: 'missing_field' });
    const unknown = { code: 'unknown_parameter' };
    // @ts-expect-error -- The list has no such filter.
    await expect(client.call('GET', '/pets', { query: { state: 'sold' } })).rejects.toMatchObject(unknown);
    // @ts-expect-error -- The path needs a value, and is of no list.
    await expect(all(client.pages('/pets/{petId}'))).rejects.toThrow('"petId"');
    for (const id of ['..', '.', '']) await expect(client.deleteOrder(id as never)).rejects.toThrow('"orderId"');
    const sender = new Sender();
    await expect(clientWith(sender).getOrder('a/../b?c' as never)).rejects.toMatchObject({ code: 'not_found' });
    expect(sender.requests[0]?.url).toContain('/store/orders/a%2F..%2Fb%3Fc');
  });

  describe('handles orders', () => {
    let petId: bigint;
    beforeEach(async () => {
      petId = (await clientWith().createPet({ name: 'Ordered', categoryId: 1n, status: 'available' })).id;
    });

    it('creates, reads, changes, clears and deletes one', async () => {
      const client = clientWith();
      const added = await client.createOrder({ petId, shipDate: '2026-03-31T16:30:00+02:00' });
      const { id } = added;
      const shipDate = '2026-03-31T14:30:00.000Z';
      expect(added).toEqual({ id: expect.any(BigInt), petId, quantity: 1, shipDate, complete: false });
      expect(await client.getOrder(id)).toEqual(added);
      expect(await client.updateOrder(id, {})).toEqual(added);
      const cleared = await client.updateOrder(id, { shipDate: null, quantity: 3 });
      expect(cleared).toEqual({ id, petId, quantity: 3, complete: false });
      expect(await client.deleteOrder(id)).toBeUndefined();
      await expect(client.deleteOrder(id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
      expect(() => clientWith({ baseUrl: service.origin })).toThrow('/v1');
      await expect(client.createOrder({ petId: 2 ** 53 } as never)).rejects.toThrow('bigint');
      await expect(client.listPets({ ids: [2 ** 53] } as never)).rejects.toThrow('bigint');
    });

    it('lists those of an animal, and the complete ones of it', async () => {
      const client = clientWith();
      const { id } = await client.createOrder({ petId });
      const idsOf = async (query: ListOrdersQuery): Promise<bigint[]> =>
        (await client.listOrders(query)).map((order) => order.id);
      expect(await idsOf({ petId })).toEqual([id]);
      expect(await idsOf({ petId, complete: true })).toEqual([]);
      await client.updateOrder(id, { complete: true });
      expect(await all(client.orders({ petId, complete: true }))).toMatchObject([{ id, complete: true }]);
    });

    it('throws an ApiError for each conflict', async () => {
      const client = clientWith();
      const { id } = await client.createOrder({ petId });
      const taken = { code: 'animal_not_available' satisfies ErrorCode, status: 409, outcome: 'not done' };
      await expect(client.createOrder({ petId })).rejects.toMatchObject(taken);
      await client.updateOrder(id, { complete: true });
      const final = { code: 'order_complete' satisfies ErrorCode, status: 409 };
      await expect(client.updateOrder(id, { quantity: 2 })).rejects.toMatchObject(final);
      await expect(client.deleteOrder(id)).rejects.toMatchObject(final);
    });

    it('makes each change once, although its first answers are lost', async () => {
      let losses = 2;
      const losesAnswers = async (url: unknown, init?: RequestInit): Promise<Response> => {
        const answer = await fetch(String(url), init);
        if (losses-- <= 0) return answer;
        throw new TypeError('fetch failed');
      };
      const client = clientWith({ fetch: losesAnswers });
      const pet = await client.createPet({ name: 'Once', categoryId: 1n, status: 'available' });
      expect(await client.listPets({ after: petId })).toEqual([pet]);
      losses = 2;
      const order = await client.createOrder({ petId });
      losses = 2;
      expect(await client.updateOrder(order.id, { quantity: 2 })).toEqual({ ...order, quantity: 2 });
      losses = 2;
      await client.deleteOrder(order.id);
      expect(losses).toBe(-1);
      expect(await client.getPet(petId)).toMatchObject({ status: 'available' });
    });
  });

  it('reports a deprecated operation once, and is not disturbed by a callback that fails', async () => {
    const failure = new Error('of the callback');
    const told = jest.spyOn(console, 'error').mockImplementation(() => {});
    const reported: Deprecation[] = [];
    const onDeprecated = (deprecation: Deprecation): void => {
      reported.push(deprecation);
      throw failure;
    };
    const client = clientWith({ onDeprecated });
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n });
    for (let i = 0; i < 2; i++) expect(await client.getPet(id)).toMatchObject({ name: 'Rex' });
    await client.listPets();
    const [since, sunset] = [new Date('2025-12-05T00:00:00Z'), new Date('2030-12-05T00:00:00Z')];
    expect(reported).toEqual([{ operation: 'getPet', since, sunset }]);
    expect(told.mock.calls).toEqual([[failure]]);
  });

  it('throws an ApiError with what the service says', async () => {
    const call = clientWith().listPets({ limit: 101 }, { requestId: 'mine-1' });
    const failure = (await call.catch((error: unknown) => error)) as ApiError;
    expect(failure).toBeInstanceOf(ApiError);
    expect({ ...failure, message: failure.message }).toEqual({
      name: 'ApiError',
      code: 'invalid_parameter',
      message: expect.stringContaining('"limit"'),
      status: 400,
      requestId: 'mine-1',
      retryAfter: undefined,
      outcome: 'not done',
      idempotencyKey: undefined,
    });
    const unknown = clientWith({ apiKey: 'nonsense' }).listPets();
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_api_key', status: 401 });
  });

  it.each([undefined, '', ' '])('refuses the key %j', (apiKey) => {
    expect(() => clientWith({ apiKey })).toThrow('The API key is missing');
  });
});
