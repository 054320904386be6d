import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectAnswer, expectError } from './support/expectations.js';
import type { PetBody } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const NAME = 'a string of 1 to 255 characters, without control characters and not only white space';
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';
const STATUS = 'one of available, pending, sold';

describe('createPet: POST /v1/pets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

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

  it.each([
    ['one character', 'x'],
    ['255 characters', 'x'.repeat(255)],
    ['255 emoji, which are 510 UTF-16 code units', '🐕'.repeat(255)],
    ['white space around', '  Rex\u3000'],
    ['text that is not normalised', 'e\u0301\u00e9'],
    ['right-to-left text and zero-width characters', '\u202eRex\u200b'],
    ['quotes, slashes and markup', `'"\\/<b>; DROP TABLE pets`],
    ['the name of a property of objects', '__proto__'],
  ])('stores a name exactly as it is sent: %s', async (_, name) => {
    const answer = await create({ name, categoryId: 1 });
    const { id } = answer.json as PetBody;
    expectAnswer(answer, 201, { id, name, categoryId: 1 });
    expectAnswer(await service.get(`/v1/pets/${id}`), 200, { id, name, categoryId: 1 });
  });

  it('stores any printable text', async () => {
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
      { numRuns: 50 },
    );
  });

  it('ignores the query, since it declares no parameters', async () => {
    const answer = await service.post('/v1/pets?dry_run=1&limit=x', { name: 'Rex', categoryId: 1 });
    expect(answer.status).toBe(201);
  });

  it.each([
    ['name', '""', NAME],
    ['name', '"   "', NAME],
    ['name', '"\\u3000\\u2003"', NAME],
    ['name', JSON.stringify('x'.repeat(256)), NAME],
    ['name', JSON.stringify('🐕'.repeat(256)), NAME],
    ['name', '"a\\u0000b"', NAME],
    ['name', '"a\\nb"', NAME],
    ['name', '"a\\u0085b"', NAME],
    ['name', '"\\ud800"', NAME],
    ['name', '"\\udc00x"', NAME],
    ['name', '5', NAME],
    ['name', 'null', NAME],
    ['name', '["Rex"]', NAME],
    ['categoryId', '"5"', INT64],
    ['categoryId', 'true', INT64],
    ['categoryId', 'null', INT64],
    ['categoryId', '1.5', INT64],
    ['categoryId', '1e-1', INT64],
    ['categoryId', '1e400', INT64],
    ['categoryId', '1e999999999', INT64],
    ['categoryId', '9223372036854775808', INT64],
    ['categoryId', '-9223372036854775809', INT64],
    ['categoryId', '[1]', INT64],
    ['status', 'null', STATUS],
    ['status', '""', STATUS],
    ['status', '"Available"', STATUS],
    ['status', '" sold"', STATUS],
    ['status', '0', STATUS],
    ['status', '["sold"]', STATUS],
  ])('refuses an invalid %s: %s', async (field, value, expected) => {
    const fields = { name: '"Rex"', categoryId: '1', status: '"sold"', [field]: value };
    const body = Object.entries(fields).map(([name, json]) => `"${name}":${json}`);
    const message = expect.stringMatching(`^The field "${field}" must be ${expected}`);
    expectError(await create(`{${body.join()}}`), 'invalid_field', message);
  });

  it('names the first fault in the order of the specification', async () => {
    expectError(await create('{"name":5,"categoryId":"x"}'), 'invalid_field', `The field "name" must be ${NAME}.`);
    expectError(await create('{"status":5}'), 'missing_field', `The field "name" is missing; it must be ${NAME}.`);
    expectError(
      await create({ name: 'Rex', categoryID: 1 }),
      'unknown_field',
      'There is no field "categoryID". Known: name, categoryId, status.',
    );
  });

  it('does not echo a long field name in full', async () => {
    const answer = await create({ ['x'.repeat(10_000)]: 1 });
    expectError(answer, 'unknown_field');
    expect(answer.text.length).toBeLessThan(300);
  });
});
