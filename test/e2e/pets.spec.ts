import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPet, type PetBody } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { walk } from './support/walk.js';

const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';
const NAME = 'a string of 1 to 255 characters, without control characters and not only white space';
const STATUS = 'one of available, pending, sold';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('listPets: GET /v1/pets', () => {
  const list = (query: string) => service.get(`/v1/pets?${query}`);

  describeInside('with a catalogue of 100 animals', () => {
    let pets: PetBody[];
    let ids: (...places: number[]) => string;
    beforeAll(async () => {
      const statuses = ['available', 'pending', 'sold', undefined];
      pets = [];
      for (let i = 0; i < 100; i++) {
        const status = statuses[i % 4];
        pets.push(await addPet(service, { name: `Animal ${i}`, categoryId: i, ...(status && { status }) }));
      }
      ids = (...places) => places.map((place) => pets[place]!.id).join(',');
    });

    it.each(['available', 'pending', 'sold'])('filters by status: %s', async (status) => {
      const those = pets.filter((pet) => pet.status === status);
      expectAnswer(await list(`status=${status}&limit=100`), 200, those);
    });

    it('keeps limit and status in page links, and from page to page', async () => {
      const sold = pets.filter(({ status }) => status === 'sold');
      const { headers } = await list('status=sold&limit=2');
      const first = '/v1/pets?status=sold&limit=2';
      expect(headers['link']).toBe(`<${first}>; rel="first", <${first}&after=${sold[1]!.id}>; rel="next"`);
      expect(await walk(service, '/v1/pets?status=sold&limit=4', () => addPet(service))).toEqual(sold);
    });

    it('finds animals by id, ascending, and leaves out those that do not exist', async () => {
      const absent = '-9223372036854775808,9223372036854775807';
      expectAnswer(await list(`ids=${absent},${ids(7, 3, 99)}`), 200, [pets[3], pets[7], pets[99]]);
      expectAnswer(await list(`ids=${encodeURIComponent(ids(3, 1))}`), 200, [pets[1], pets[3]]);
      expectAnswer(await list(`ids=${absent}`), 200, []);
      expectAnswer(await list(`ids=${ids(9)}&ids=${ids(4, 2)}`), 200, [pets[2], pets[4], pets[9]]);
    });

    it('finds animals by id with a status and after a position', async () => {
      const some = `ids=${ids(1, 2, 3, 5, 6)}`;
      expectAnswer(await list(`${some}&status=pending`), 200, [pets[1], pets[5]]);
      expectAnswer(await list(`${some}&after=${ids(2)}`), 200, [pets[3], pets[5], pets[6]]);
      expectAnswer(await list(`${some}&status=pending&after=${ids(1)}`), 200, [pets[5]]);
    });

    it('finds up to 100 animals by id, a page at a time', async () => {
      const all = `ids=${pets.map(({ id }) => id).join(',')}`;
      expectAnswer(await list(all), 200, pets.slice(0, 20));
      expectAnswer(await list(`${all}&limit=100`), 200, pets);
      const { headers } = await list(`limit=1&ids=${ids(4, 2)}`);
      const kept = `/v1/pets?limit=1&ids=${ids(4)}%2C${ids(2)}`;
      expect(headers['link']).toBe(`<${kept}>; rel="first", <${kept}&after=${ids(2)}>; rel="next"`);
      const walked = await walk(service, `/v1/pets?limit=1&ids=${ids(9)}&ids=${ids(2, 4)}`);
      expect(walked).toEqual([pets[2], pets[4], pets[9]]);
    });

    it('takes a hundred of the longest ids, percent-encoded', async () => {
      const longest = Array.from({ length: 99 }, (_, i) => `${-9223372036854775808n + BigInt(i)}`);
      const query = encodeURIComponent([...longest, ids(0)].join(','));
      expectAnswer(await list(`limit=100&ids=${query}`), 200, [pets[0]]);
    });
  });

  it.each([
    ['ids=', 'ids', INT64],
    ['ids=%2B5', 'ids', INT64],
    ['ids=1,-0', 'ids', INT64],
    ['ids=1,9223372036854775808', 'ids', INT64],
    ['ids=1%252C2', 'ids', INT64],
    ['ids=1,5,1', 'ids', 'a list of 1 to 100 items separated by commas, none twice'],
    [`ids=${Array.from({ length: 101 }, (_, i) => i).join(',')}`, 'ids', 'a list of 1 to 100 items'],
    ['ids=1,5&ids=1', 'ids', 'a list of 1 to 100 items separated by commas, none twice'],
    ['status=lost', 'status', STATUS],
    ['status=Sold', 'status', STATUS],
    ['status=', 'status', STATUS],
  ])('refuses %s', async (query, name, expected) => {
    const message = expect.stringMatching(`^The parameter "${name}.* must be .*${expected}`);
    expectError(await list(query), 'invalid_parameter', message);
  });

  it('refuses a misspelt parameter, and names the known ones', async () => {
    const message = 'There is no parameter "stauts". Known: limit, after, status, ids.';
    expectError(await list('stauts=sold'), 'unknown_parameter', message);
    expectError(await list('complete=true'), 'unknown_parameter'); // that is a filter of orders
  });
});

describe('createPet: POST /v1/pets', () => {
  const create = (body: object | string) => service.post('/v1/pets', body);

  it.each(['available', 'pending', 'sold', undefined])('adds an animal with status %s', async (status) => {
    const pet = { name: 'Rex', categoryId: 7, ...(status && { status }) };
    const answer = await create(pet);
    const { id } = answer.json as PetBody;
    expectAnswer(answer, 201, { id, ...pet });
    expect(answer.headers['location']).toBe(`/v1/pets/${id}`);
    expectAnswer(await service.get(`/v1/pets/${id}`), 200, { id, ...pet });
    expectAnswer(await service.get(`/v1/pets?ids=${id}`), 200, [{ id, ...pet }]);
  });

  it('stores a name exactly as it is sent, of any printable text', async () => {
    const edges = ['🐕'.repeat(255), '  Rex\u3000', 'e\u0301\u00e9', '\u202eRex\u200b', `'"\\/<b>`];
    const printable = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
      .filter((text) => !/\p{Cc}/u.test(text) && /\S/u.test(text) && [...text].length <= 255);
    await fc.assert(
      fc.asyncProperty(printable, async (name) => {
        const created = await create({ name, categoryId: 1 });
        expectAnswer(created, 201, { id: expect.anything(), name, categoryId: 1 });
        const { id } = created.json as PetBody;
        expectAnswer(await service.get(`/v1/pets?ids=${id}`), 200, [{ id, name, categoryId: 1 }]);
      }),
      { numRuns: 50, examples: edges.map((edge) => [edge]) },
    );
  });

  it.each([
    ['name', '""', NAME],
    ['name', JSON.stringify('🐕'.repeat(256)), NAME],
    ['name', '"a\\nb"', NAME],
    ['name', '"\\udc00x"', NAME],
    ['name', '5', NAME],
    ['categoryId', '"5"', INT64],
    ['categoryId', 'true', INT64],
    ['categoryId', '1.5', INT64],
    ['status', '"Available"', STATUS],
    ['status', '0', STATUS],
  ])('refuses an invalid %s: %s', async (field, value, expected) => {
    const fields = { name: '"Rex"', categoryId: '1', status: '"sold"', [field]: value };
    const body = Object.entries(fields).map(([name, json]) => `"${name}":${json}`);
    const message = expect.stringMatching(`^The field "${field}" must be ${expected}`);
    expectError(await create(`{${body.join()}}`), 'invalid_field', message);
  });

  it('names the first fault in the order of the specification', async () => {
    expectError(await create('{"name":5,"categoryId":"x"}'), 'invalid_field', `The field "name" must be ${NAME}.`);
    expectError(await create('{"status":5}'), 'missing_field', `The field "name" is missing; it must be ${NAME}.`);
    const unknown = 'There is no field "categoryID". Known: name, categoryId, status.';
    expectError(await create({ name: 'Rex', categoryID: 1 }), 'unknown_field', unknown);
  });
});
