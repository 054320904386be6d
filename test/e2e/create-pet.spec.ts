import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itTakesAnObject } from './support/json-input.js';
import type { PetBody } from './support/pets.js';
import { type Service, startService } from './support/service.js';

const NAME = 'a string of 1 to 255 characters, without control characters and not only white space';
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';

describe('createPet: POST /v1/pets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const create = (body: object | string | Buffer, headers: Record<string, string> = {}) =>
    service.post('/v1/pets', body, { headers });

  itRequiresAnApiKey(() => service, {
    method: 'POST',
    path: '/v1/pets',
    body: { name: 'Rex', categoryId: 1 },
  });
  itTakesAnObject(() => service, {
    path: '/v1/pets',
    body: { name: 'Rex', categoryId: 1, status: 'sold' },
    required: ['name', 'categoryId'],
  });

  describe('adds an animal', () => {
    it('with a status', async () => {
      const answer = await create({ name: 'Rex', categoryId: 7, status: 'available' });
      const { id } = answer.json as PetBody;
      expectAnswer(answer, 201, { id, name: 'Rex', categoryId: 7, status: 'available' });
      expect(typeof id).toBe('number');
      expect(answer.headers['location']).toBe(`/v1/pets/${id}`);
      expectAnswer(await service.get(`/v1/pets/${id}`), 200, answer.json);
    });

    it('without a status, and leaves the member out', async () => {
      const answer = await create({ name: 'Rex', categoryId: 7 });
      const { id } = answer.json as PetBody;
      expectAnswer(answer, 201, { id, name: 'Rex', categoryId: 7 });
      expectAnswer(await service.get(`/v1/pets/${id}`), 200, { id, name: 'Rex', categoryId: 7 });
    });

    it.each([
      ['one character', 'x'],
      ['255 characters', 'x'.repeat(255)],
      ['255 emoji (510 UTF-16 code units)', '🐕'.repeat(255)],
      ['surrounding white space', '  Rex\u3000'],
      ['text that is not normalised', 'e\u0301\u00e9'],
      ['right-to-left text and zero-width characters', '\u202eRex\u200b'],
      ['quotes, slashes and markup', `'"\\/<b>; DROP TABLE pets`],
      ['template placeholders', '${name} {{name}} %s'],
    ])('and stores its name exactly as sent: %s', async (_, name) => {
      const answer = await create({ name, categoryId: 1 });
      expectAnswer(answer, 201, { id: expect.anything(), name, categoryId: 1 });
      const { id } = answer.json as PetBody;
      expectAnswer(await service.get(`/v1/pets/${id}`), 200, { id, name, categoryId: 1 });
    });

    it.each([
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ])('sent as %s', async (type) => {
      expect((await create({ name: 'Rex', categoryId: 1 }, { 'content-type': type })).status).toBe(201);
    });

    it('and ignores the query, since the operation declares no parameters', async () => {
      const answer = await service.post('/v1/pets?dry_run=1&limit=x', { name: 'Rex', categoryId: 1 });
      expect(answer.status).toBe(201);
    });

    it('from a body of exactly 16384 bytes', async () => {
      const body = '{"name":"Rex","categoryId":1}';
      expect((await create(body.padEnd(16_384))).status).toBe(201);
    });
  });

  describe('refuses a body that is not exactly one JSON object', () => {
    it.each([
      ['an empty body', ''],
      ['white space', '  \n'],
      ['a truncated object', '{"name":"Rex","categoryId":1'],
      ['trailing characters', '{"name":"Rex","categoryId":1} x'],
      ['two objects', '{"name":"Rex","categoryId":1}{}'],
      ['a trailing comma', '{"name":"Rex","categoryId":1,}'],
      ['single quotes', "{'name':'Rex','categoryId':1}"],
      ['a comment', '{"name":"Rex",/* */"categoryId":1}'],
      ['NaN', '{"name":"Rex","categoryId":NaN}'],
      ['a number with a leading zero', '{"name":"Rex","categoryId":01}'],
      ['a number with a plus sign', '{"name":"Rex","categoryId":+1}'],
      ['a raw control character', '{"name":"R\u0001x","categoryId":1}'],
      ['a raw line break in a string', '{"name":"R\nx","categoryId":1}'],
      ['an invalid escape', '{"name":"\\x41","categoryId":1}'],
      ['a duplicate key with another value', '{"name":"Rex","name":"Max","categoryId":1}'],
      ['a duplicate key with the same value', '{"name":"Rex","name":"Rex","categoryId":1}'],
      ['a duplicate key written with an escape', '{"name":"Rex","n\\u0061me":"Rex","categoryId":1}'],
      ['an array', '[{"name":"Rex","categoryId":1}]'],
      ['a string', '"Rex"'],
      ['a number', '5'],
      ['a number outside int64', '1e400'],
      ['a fraction', '-0.5'],
      ['null', 'null'],
      ['a byte order mark', '\ufeff{"name":"Rex","categoryId":1}'],
      ['33 levels of nesting', `{"name":${'['.repeat(32)}${']'.repeat(32)},"categoryId":1}`],
      ['thousands of levels of nesting', '['.repeat(16_000)],
      ['a form', 'name=Rex&categoryId=1'],
    ])('%s', async (_, body) => {
      expectError(await create(body), 'invalid_json');
    });

    it.each([
      [
        'invalid UTF-8',
        Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('","categoryId":1}')]),
      ],
      [
        'an encoded surrogate',
        Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","categoryId":1}')]),
      ],
      ['UTF-16', Buffer.from('{"name":"Rex","categoryId":1}', 'utf16le')],
    ])('%s', async (_, body) => {
      expectError(await create(body), 'invalid_json');
    });

    it('and names the position of the fault', async () => {
      expectError(
        await create('{"name":"Rex",}'),
        'invalid_json',
        `The body is not valid JSON: Quoted object key expected but got '}' at position 14.`,
      );
    });
  });

  describe('refuses invalid fields', () => {
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
      ['name', 'true', NAME],
      ['name', '["Rex"]', NAME],
      ['name', '{}', NAME],
      ['categoryId', '"5"', `${INT64}: leave out the quotes`],
      ['categoryId', 'true', INT64],
      ['categoryId', 'null', INT64],
      ['categoryId', '1.5', INT64],
      ['categoryId', '1e-1', INT64],
      ['categoryId', '1e400', INT64],
      ['categoryId', '1e999999999', INT64],
      ['categoryId', '9223372036854775808', INT64],
      ['categoryId', '-9223372036854775809', INT64],
      ['categoryId', '[1]', INT64],
      ['categoryId', '{}', INT64],
      ['status', 'null', 'one of available, pending, sold'],
      ['status', '""', 'one of available, pending, sold'],
      ['status', '"Available"', 'one of available, pending, sold'],
      ['status', '" sold"', 'one of available, pending, sold'],
      ['status', '0', 'one of available, pending, sold'],
      ['status', '["sold"]', 'one of available, pending, sold'],
    ])('with an invalid value: %s = %s', async (field, value, expected) => {
      const fields = { name: '"Rex"', categoryId: '1', status: '"sold"', [field]: value };
      const body = Object.entries(fields).map(([key, json]) => `"${key}":${json}`);
      expectError(
        await create(`{${body.join()}}`),
        'invalid_field',
        `The field "${field}" must be ${expected}.`,
      );
    });

    it.each(['id', 'Name', 'nam\\u00e9', '__proto__', 'constructor', 'toString', '', '\\ud800'])(
      'that are unknown: "%s"',
      async (field) => {
        expectError(await create(`{"name":"Rex","categoryId":1,"${field}":1}`), 'unknown_field');
      },
    );

    it('and reports the first fault in the order of the specification', async () => {
      expectError(
        await create('{"name":5,"categoryId":"x"}'),
        'invalid_field',
        `The field "name" must be ${NAME}.`,
      );
      expectError(
        await create('{"status":5}'),
        'missing_field',
        `The field "name" is missing; it must be ${NAME}.`,
      );
      expectError(
        await create({ name: 'Rex', categoryID: 1 }),
        'unknown_field',
        'There is no field "categoryID". Known: name, categoryId, status.',
      );
    });

    it('and does not echo a long field name in full', async () => {
      const answer = await create({ ['x'.repeat(10_000)]: 1 });
      expect(answer.text.length).toBeLessThan(300);
    });
  });

  describe('refuses unsupported bodies', () => {
    it.each([
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/problem+json',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json; version=1',
      'application/jsonx',
      'application/json, text/plain',
      'json',
      ';',
      '',
    ])('with content type "%s"', async (type) => {
      expectError(
        await create({ name: 'Rex', categoryId: 1 }, { 'content-type': type }),
        'unsupported_media_type',
      );
    });

    it('without a content type', async () => {
      expectError(await service.post('/v1/pets', undefined), 'unsupported_media_type');
    });

    it.each(['gzip', 'identity', 'br'])('with content encoding %s', async (encoding) => {
      const answer = await create({ name: 'Rex', categoryId: 1 }, { 'content-encoding': encoding });
      expectError(answer, 'unsupported_media_type', 'Send the body without a Content-Encoding.');
    });

    it('larger than 16384 bytes, with a Content-Length or chunked', async () => {
      const body = '{"name":"Rex","categoryId":1}'.padEnd(16_385);
      expectError(await create(body), 'payload_too_large');
      expectError(
        await service.call('POST', '/v1/pets', {
          headers: {
            authorization: `Bearer ${service.key}`,
            'content-type': 'application/json',
            'transfer-encoding': 'chunked',
          },
          body,
        }),
        'payload_too_large',
      );
    });
  });

  describe('checks', () => {
    it('the key before the media type, the size and the content of the body', async () => {
      const declared: Record<string, string>[] = [
        { 'content-type': ';;' },
        { 'content-type': 'text/plain' },
        {},
      ];
      for (const headers of declared) {
        expectError(
          await service.call('POST', '/v1/pets', { headers, body: '{'.repeat(20_000) }),
          'missing_api_key',
        );
      }
    });

    it('the media type, then the size, then the JSON', async () => {
      expectError(
        await create('{'.repeat(20_000), { 'content-type': 'text/plain' }),
        'unsupported_media_type',
      );
      expectError(await create('{'.repeat(20_000)), 'payload_too_large');
      expectError(await create('{'.repeat(10)), 'invalid_json');
    });
  });
});
