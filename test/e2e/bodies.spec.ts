import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from './support/expectations.js';
import { addOrder, addPet, ORDER } from './support/resources.js';
import { type Service, startService } from './support/service.js';

interface Operation {
  readonly method: string;
  readonly types: string[];
  readonly required: string[];
  /** A path and a body with all its members, which is accepted once. */
  readonly request: (service: Service) => Promise<{ path: string; body: Record<string, unknown> }>;
}

const PLAIN = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
];

const OPERATIONS: Record<string, Operation> = {
  createPet: {
    method: 'POST',
    types: PLAIN,
    required: ['name', 'categoryId'],
    request: async () => ({ path: '/v1/pets', body: { name: 'Rex', categoryId: 1, status: 'sold' } }),
  },
  createOrder: {
    method: 'POST',
    types: PLAIN,
    required: ['petId'],
    request: async (service) => ({
      path: '/v1/store/orders',
      body: { petId: (await addPet(service)).id, ...ORDER },
    }),
  },
  updateOrder: {
    method: 'PATCH',
    types: [...PLAIN, 'application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8'],
    required: [],
    request: async (service) => ({
      path: `/v1/store/orders/${(await addOrder(service)).id}`,
      body: { ...ORDER, complete: true },
    }),
  },
};

describe.each(Object.entries(OPERATIONS))('The body of %s', (name, { method, types, required, request }) => {
  let service: Service;
  let path: string;
  let body: Record<string, unknown>;
  let text: string;
  beforeAll(async () => {
    service = await startService();
    ({ path, body } = await request(service));
    text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  });
  afterAll(() => service.stop());

  const sendTo = (to: string, sent: object | string | Buffer, headers: Record<string, string | undefined> = {}) =>
    service.call(method, to, { body: sent, headers: { authorization: `Bearer ${service.key}`, ...headers } });
  const send = (sent: object | string | Buffer, headers?: Record<string, string | undefined>) =>
    sendTo(path, sent, headers);
  const about = (field: string) => expect.stringContaining(`"${field}"`);

  it.each<[string, () => string | Buffer]>([
    ['nothing', () => ''],
    ['white space', () => '  \n'],
    ['a truncated object', () => text.slice(0, -1)],
    ['two objects', () => text + text],
    ['an object and more', () => `${text} x`],
    ['a trailing comma', () => text.replace(/\}$/, ',}')],
    ['single quotes', () => text.replaceAll('"', "'")],
    ['a comment', () => text.replace('{', '{/* */')],
    ['NaN', () => '{"quantity":NaN,"categoryId":NaN}'],
    ['a number with a leading zero', () => '{"quantity":01}'],
    ['a number with a plus sign', () => '{"quantity":+1}'],
    ['a raw control character', () => '{"name":"R\u0001x"}'],
    ['a raw line break in a string', () => '{"name":"R\nx"}'],
    ['an invalid escape', () => '{"name":"\\x41"}'],
    ['a duplicate name with another value', () => text.replace(/^\{("\w+":)/, '{$1null,$1')],
    ['a duplicate name with the same value', () => '{"quantity":1,"quantity":1}'],
    ['a duplicate name in another spelling', () => '{"quantity":1,"qu\\u0061ntity":1}'],
    ['an array', () => `[${text}]`],
    ['a string', () => '"Rex"'],
    ['a number', () => '5'],
    ['a number outside int64', () => '1e400'],
    ['null', () => 'null'],
    ['a byte order mark', () => `\ufeff${text}`],
    ['33 levels of nesting', () => `{"name":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['thousands of levels of nesting', () => '['.repeat(16_000)],
    ['a form', () => 'name=x'],
    ['invalid UTF-8', () => Buffer.from('{"name":"\xff"}', 'latin1')],
    ['an encoded surrogate', () => Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1')],
    ['UTF-16', () => Buffer.from(text, 'utf16le')],
  ])('is one JSON object, not %s', async (_, sent) => {
    expectError(await send(sent()), 'invalid_json');
  });

  it('is refused with the place of the fault', async () => {
    expectError(await send('{"name":"Rex",}'), 'invalid_json', expect.stringMatching(/position 14/));
  });

  it.each(['id', 'Name', 'nam\\u00e9', '__proto__', 'constructor', 'toString', '', '\\ud800'])(
    'has no other members: "%s"',
    async (field) => {
      expectError(await send(text.replace('{', `{"${field}":1,`)), 'unknown_field');
    },
  );

  it('has all required members', async () => {
    for (const field of required) {
      const { [field]: _, ...rest } = body;
      expectError(await send(rest), 'missing_field', about(field));
    }
  });

  it('has no member of another kind', async () => {
    for (const field of Object.keys(body)) {
      expectError(await send({ ...body, [field]: {} }), 'invalid_field', about(field));
      expectError(await send({ ...body, [field]: [] }), 'invalid_field', about(field));
      if (`${name}.${field}` === 'updateOrder.shipDate') continue; // null clears it
      expectError(await send({ ...body, [field]: null }), 'invalid_field', about(field));
    }
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/json-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; version=1',
    'application/jsonx',
    'application/json, text/plain',
    'json',
    ';',
    '',
  ])('is refused as "%s"', async (type) => {
    const answer = await send(text, { 'content-type': type });
    expectError(answer, 'unsupported_media_type');
    if (method === 'PATCH')
      expect(answer.headers['accept-patch']).toBe('application/json, application/merge-patch+json');
  });

  it('is refused without a content type, and with a content encoding', async () => {
    expectError(await send(text, { 'content-type': undefined }), 'unsupported_media_type');
    for (const encoding of ['gzip', 'identity', 'br'])
      expectError(await send(text, { 'content-encoding': encoding }), 'unsupported_media_type');
  });

  it('has at most 16384 bytes, with a Content-Length or chunked', async () => {
    const large = text.padEnd(16_385);
    expectError(await send(large), 'payload_too_large');
    expectError(await send(large, { 'transfer-encoding': 'chunked' }), 'payload_too_large');
  });

  it('is judged by its type, then its size, then its content', async () => {
    const large = '{'.repeat(20_000);
    expectError(await send(large, { 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectError(await send(large), 'payload_too_large');
    expectError(await send('{'.repeat(10)), 'invalid_json');
  });

  it('is accepted with 16384 bytes, and declared in any of these forms', async () => {
    for (const type of types) {
      const fresh = await request(service);
      const sent = JSON.stringify(fresh.body).padEnd(16_384);
      const { status } = await sendTo(fresh.path, sent, { 'content-type': type });
      expect({ type, status }).toEqual({ type, status: method === 'POST' ? 201 : 200 });
    }
  });
});
