import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseExactly, type Shapes, stringifyExactly } from '../../clients/typescript/src/exact-json.js';
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

describe('The TypeScript client', () => {
  let service: Service;
  const clientWith = (settings: Partial<Settings> = {}): AnimalStore =>
    new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.key, ...settings });
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe('keeps every digit of 64-bit integers', () => {
    it.each([0n, 1n, -1n, 9007199254740993n, MIN, MAX])('for category id %s', async (categoryId) => {
      const client = clientWith();
      const added = await client.createPet({ name: 'Rex "the 1st" 12', categoryId, status: 'sold' });
      expect(added).toEqual({ id: expect.any(BigInt), name: 'Rex "the 1st" 12', categoryId, status: 'sold' });
      expect(await client.getPet(added.id)).toEqual(added);
      expect(await client.listPets({ after: added.id - 1n, limit: 1 })).toEqual([added]);
    });

    it('for ids at both ends of the range', async () => {
      expect(await clientWith().listPets({ after: MAX })).toEqual([]);
      expect(await clientWith().listPets({ after: MIN, limit: 1 })).toHaveLength(1);
      await expect(clientWith().getPet(MIN)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    });

    it('for very large ids in an answer', async () => {
      const sender = new Sender([new Response(`[{"id":${MIN}},{"id":${MAX}},{"id":9007199254740993}]`)]);
      const ids = (await clientWith(sender).listPets()).map(({ id }) => id);
      expect(ids).toEqual([MIN, MAX, 9007199254740993n]);
    });

    it('beside text of every kind', () => {
      const text = String.raw`{"\"n1":"n1","s":"s\\","":["","1","\"2","é\u2028:"],"e":[-1.5e-3,1E5,-0,true,false,null]}`;
      expect(parseExactly(text)).toEqual(JSON.parse(text));
      const value = {
        'a"b': 'n1',
        skip: undefined,
        '': [undefined, null, ''],
        at: new Date(0),
        n: [0.1, -0],
      };
      expect(stringifyExactly(value)).toBe(JSON.stringify(value));
      for (const bad of ['', '01', '[1.]', '{"a":-}', '1 2', '"', '{"a":1,}'])
        expect(() => parseExactly(bad)).toThrow(SyntaxError);
    });

    it('in the named places only, at any depth and in arrays', () => {
      const text = `{"id":${MAX},"ids":[[1],[${MIN}]],"n":[1,2.5],"in":{"id":2,"t":"id 9","z":null}}`;
      const value = { id: MAX, ids: [[1n], [MIN]], n: [1, 2.5], in: { id: 2n, t: 'id 9', z: null } };
      const shapes: Shapes = { All: { id: 'int64', ids: 'Ids', in: { '*': 'int64' } }, Ids: [['int64']] };
      expect(parseExactly(text, 'All', shapes)).toEqual(value);
      expect(stringifyExactly(value)).toBe(text);
      expect(() => parseExactly('{"id":1.5}', 'All', shapes)).toThrow(SyntaxError);
    });

    it('and leaves out an absent status', async () => {
      const added = await clientWith().createPet({ name: 'Rex', categoryId: 1n });
      expect(Object.keys(added).toSorted()).toEqual(['categoryId', 'id', 'name']);
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
        if (seen.length <= 4)
          await client.createPet({ name: 'Meanwhile', categoryId: 8n, status: 'pending' });
      }
      expect(seen.filter(({ categoryId }) => categoryId === 7n)).toEqual(before);
      expect(seen.filter(({ categoryId }) => categoryId === 8n)).toHaveLength(4);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(11);
    });

    it('and requests no page after the last one, or after the caller stops', async () => {
      const sender = new Sender();
      const client = clientWith(sender);
      const all: Pet[] = [];
      for await (const pet of client.pets({ status: 'pending', limit: 11 })) all.push(pet);
      expect(all).toHaveLength(11);
      expect(sender.requests).toHaveLength(1);
      const walk = client.pets({ limit: 1 });
      await walk.next();
      await walk.return();
      expect(sender.requests).toHaveLength(2);
    });

    it('and ends when a cache gives the same page again', async () => {
      const sameQuery = (url: unknown, init?: RequestInit): Promise<Response> =>
        fetch(String(url).replace(/after=\d+&?/, ''), init);
      const pages = async (): Promise<void> => {
        for await (const pet of clientWith({ fetch: sameQuery }).pets({ limit: 1 }))
          expect(pet).toBeDefined();
      };
      await expect(pages()).rejects.toThrow('the same page again');
    });

    it.each(['null', '{}', '"text"'])('and explains an answer that is no list: %s', async (body) => {
      const other = async (): Promise<Response> => new Response(body);
      const first = clientWith({ fetch: other }).pets().next();
      await expect(first).rejects.toMatchObject({ name: 'ApiError', code: 'unreadable_answer' });
    });

    it('and works when a proxy strips the Link header', async () => {
      const withoutLink = async (url: unknown, init?: RequestInit): Promise<Response> => {
        const answer = await fetch(String(url), init);
        const headers = new Headers(answer.headers);
        headers.delete('link');
        return new Response(await answer.text(), { status: answer.status, headers });
      };
      const seen: Pet[] = [];
      for await (const pet of clientWith({ fetch: withoutLink }).pets({ status: 'pending', limit: 4 })) {
        seen.push(pet);
      }
      expect(seen).toHaveLength(11);
    });

    it('and never sends the key to another host, even if a link points there', async () => {
      const publicService = await startService({ publicUrl: 'https://elsewhere.invalid/v1' });
      try {
        const sender = new Sender();
        const client = new AnimalStore({
          baseUrl: `${publicService.origin}/v1/`,
          apiKey: publicService.key,
          ...sender,
        });
        await client.createPet({ name: 'One', categoryId: 1n });
        await client.createPet({ name: 'Two', categoryId: 1n });
        const names: string[] = [];
        for await (const { name } of client.pets({ limit: 1 })) names.push(name);
        expect(names).toEqual(['One', 'Two']);
        for (const { url } of sender.requests) expect(new URL(url).origin).toBe(publicService.origin);
      } finally {
        await publicService.stop();
      }
    });
  });

  describe('reads animals by id', () => {
    it('in one request, or a page at a time', async () => {
      const added: Pet[] = [];
      for (const name of ['a', 'b', 'c']) added.push(await clientWith().createPet({ name, categoryId: 1n }));
      const [a, b, c] = added.map(({ id }) => id) as [bigint, bigint, bigint];
      const sender = new Sender();
      const client = clientWith(sender);
      expect(await client.listPets({ ids: [MAX, c, a, MIN] })).toEqual([added[0], added[2]]);
      expect(sender.requests[0]?.url).toBe(`${service.origin}/v1/pets?ids=${MAX},${c},${a},${MIN}`);
      const seen: Pet[] = [];
      for await (const pet of client.pets({ ids: [c, b, a], limit: 1 })) seen.push(pet);
      expect(seen).toEqual(added);
      expect(sender.requests).toHaveLength(4);
      await expect(client.listPets({ ids: [a, a] })).rejects.toMatchObject({ code: 'invalid_parameter' });
      await expect(client.listPets({ ids: [] })).rejects.toMatchObject({ code: 'invalid_parameter' });
    });
  });

  describe('handles orders', () => {
    let petId: bigint;
    beforeEach(async () => {
      petId = (await clientWith().createPet({ name: 'Ordered', categoryId: 1n, status: 'available' })).id;
    });

    it('creates, reads, changes, clears and deletes one', async () => {
      const client = clientWith();
      const shipDate = '2026-03-31T16:30:00+02:00';
      const added = await client.createOrder({ petId, shipDate });
      const { id } = added;
      expect(typeof id).toBe('bigint');
      expect(added).toEqual({
        id,
        petId,
        quantity: 1,
        shipDate: '2026-03-31T14:30:00.000Z',
        complete: false,
      });
      expect(await client.getOrder(id)).toEqual(added);
      expect(await client.updateOrder(id, {})).toEqual(added);
      const cleared = await client.updateOrder(id, { shipDate: null, quantity: 3 });
      expect(cleared).toEqual({ id, petId, quantity: 3, complete: false });
      expect(await client.deleteOrder(id)).toBeUndefined();
      await expect(client.deleteOrder(id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
      expect(await client.getPet(petId)).toMatchObject({ status: 'available' });
    });

    it('iterates over those of an animal, and over the complete ones of it', async () => {
      const client = clientWith();
      const { id } = await client.createOrder({ petId });
      const other = await client.createPet({ name: 'Other', categoryId: 1n });
      const last = await client.createOrder({ petId: other.id });
      await client.updateOrder(last.id, { complete: true });
      const idsOf = async (query: ListOrdersQuery): Promise<bigint[]> => {
        const ids: bigint[] = [];
        for await (const order of client.orders({ limit: 1, ...query })) ids.push(order.id);
        return ids;
      };
      expect(await idsOf({ petId })).toEqual([id]);
      expect(await idsOf({ petId, complete: true })).toEqual([]);
      expect(await idsOf({ petId: other.id, complete: true })).toEqual([last.id]);
      expect(await idsOf({ after: id - 1n })).toEqual([id, last.id]);
    });

    it('throws an ApiError for each conflict', async () => {
      const client = clientWith();
      const { id } = await client.createOrder({ petId });
      await expect(client.createOrder({ petId })).rejects.toMatchObject({
        code: 'animal_not_available' satisfies ErrorCode,
        status: 409,
      });
      await client.updateOrder(id, { complete: true });
      const final = { code: 'order_complete' satisfies ErrorCode, status: 409 };
      await expect(client.updateOrder(id, { quantity: 2 })).rejects.toMatchObject(final);
      await expect(client.deleteOrder(id)).rejects.toMatchObject(final);
    });
  });

  it('reports a deprecated operation once', async () => {
    const reported: Deprecation[] = [];
    const client = clientWith({ onDeprecated: (deprecation) => reported.push(deprecation) });
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n });
    for (let i = 0; i < 2; i++) await client.getPet(id);
    await client.listPets();
    expect(reported).toEqual([
      { operation: 'getPet', since: expect.any(Date), sunset: new Date('2030-12-05T00:00:00Z') },
    ]);
  });

  it('is not disturbed by a callback that fails', async () => {
    const told = jest.spyOn(console, 'error').mockImplementation(() => {});
    const failure = new Error('of the callback');
    const client = clientWith({
      onDeprecated: () => {
        throw failure;
      },
    });
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1n });
    expect(await client.getPet(id)).toMatchObject({ name: 'Rex' });
    expect(told.mock.calls).toEqual([[failure]]);
    told.mockRestore();
  });

  it.each([undefined, '', ' '])('refuses the key %j', (apiKey) => {
    expect(() => clientWith({ apiKey })).toThrow('The API key is missing');
  });

  describe('makes a change once, although its answer is lost twice,', () => {
    const losesAnswers = async (url: unknown, init?: RequestInit): Promise<Response> => {
      const answer = await fetch(String(url), init);
      if (init?.method === 'GET' || losses-- <= 0) return answer;
      throw new TypeError('fetch failed');
    };
    let losses = 0;
    let client: AnimalStore;
    let pet: Pet;
    beforeEach(async () => {
      const clock = { now: () => 0, wait: async () => {} };
      client = clientWith({ fetch: losesAnswers, clock });
      pet = await clientWith().createPet({ name: 'Once', categoryId: 1n });
      losses = 2;
    });

    it('by createPet', async () => {
      const added = await client.createPet({ name: 'Once more', categoryId: 1n });
      expect(losses).toBe(-1);
      expect(await client.listPets({ after: pet.id })).toEqual([added]);
    });

    it('by createOrder, updateOrder and deleteOrder', async () => {
      const order = await client.createOrder({ petId: pet.id });
      expect(losses).toBe(-1);
      losses = 2;
      expect(await client.updateOrder(order.id, { quantity: 2 })).toEqual({ ...order, quantity: 2 });
      expect(losses).toBe(-1);
      losses = 2;
      await client.deleteOrder(order.id);
      expect(losses).toBe(-1);
      expect((await client.listPets({ ids: [pet.id] }))[0]).toMatchObject({ status: 'available' });
    });
  });

  describe('throws an ApiError', () => {
    const failureOf = async (call: Promise<unknown>): Promise<ApiError> => {
      const failure: unknown = await call.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(ApiError);
      return failure as ApiError;
    };

    it('with the code, message and request id of the service', async () => {
      const failure = await failureOf(clientWith().listPets({ limit: 101 }, { requestId: 'mine-1' }));
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
    });

    it('for a malformed key', async () => {
      const failure = await failureOf(clientWith({ apiKey: 'nonsense' }).listPets());
      expect(failure).toMatchObject({ code: 'invalid_api_key', status: 401, requestId: expect.any(String) });
    });

    it('for an answer that is not from the service, or was cut off', async () => {
      const sender = new Sender([new Response('<html>Bad gateway</html>', { status: 502 })]);
      const failure = await failureOf(clientWith({ ...sender, retries: 0 }).listPets());
      expect(failure).toMatchObject({ code: 'unreadable_answer', status: 502, requestId: undefined });
      const cut = new Sender([new Response('[{"id":1', { status: 200 })]);
      expect(await failureOf(clientWith(cut).listPets())).toMatchObject({ code: 'unreadable_answer' });
    });
  });
});
