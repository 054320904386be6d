import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeInside } from './support/deployment.js';
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

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const EDGES = [MIN, -9_007_199_254_740_993n, -1n, 0n, 1n, 9_007_199_254_740_993n, MAX];

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe.each(Object.entries(OPERATIONS))('The body of %s', (name, { method, types, required, request }) => {
  let path: string;
  let body: Record<string, unknown>;
  let text: string;
  beforeAll(async () => {
    ({ path, body } = await request(service));
    text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
  });

  const sendTo = (to: string, sent: object | string | Buffer, headers: Record<string, string | undefined> = {}) =>
    service.call(method, to, { body: sent, headers: { authorization: `Bearer ${service.key}`, ...headers } });
  const send = (sent: object | string | Buffer, headers?: Record<string, string | undefined>) =>
    sendTo(path, sent, headers);
  const about = (field: string) => expect.stringContaining(`"${field}"`);

  it.each<[string, () => string | Buffer]>([
    ['nothing', () => ''],
    ['white space', () => '  \n'],
    ['a truncated object', () => text.slice(0, -1)],
    ['NaN', () => '{"quantity":NaN,"categoryId":NaN}'],
    ['an invalid escape', () => '{"name":"\\x41"}'],
    ['a duplicate name with another value', () => text.replace(/^\{("\w+":)/, '{$1null,$1')],
    ['an array', () => `[${text}]`],
    ['thousands of levels of nesting', () => '['.repeat(16_000)],
    ['UTF-16', () => Buffer.from(text, 'utf16le')],
  ])('is one JSON object, not %s', async (_, sent) => {
    expectError(await send(sent()), 'invalid_json');
  });

  it('is refused with the place of the fault', async () => {
    expectError(await send('{"name":"Rex",}'), 'invalid_json', expect.stringMatching(/position 14/));
    expectError(await send(Buffer.from([0xff])), 'invalid_json', 'The body is not valid UTF-8.');
    expectError(await send('[]'), 'invalid_json', 'The body must be a JSON object.');
  });

  it('is quoted with 50 characters at most', async () => {
    const message = expect.stringMatching(/Invalid number '1{50}…', .* position 16006/);
    expectError(await send(`{"a":${'1'.repeat(16_000)}.x}`), 'invalid_json', message);
    const name = `"${'x'.repeat(200)}":1`;
    expectError(await send(`{${name},${name}}`), 'invalid_json', expect.stringMatching(/Duplicate key "x{50}"/));
    expectError(await send(`{${name}}`), 'unknown_field', expect.stringMatching(/no field "x{50}"/));
  });

  const others = ['id', 'Name', 'nam\\u00e9', '__proto__', 'constructor', 'toString', '', '\\ud800'];
  it.each(others)('has no other members: "%s"', async (field) => {
    expectError(await send(text.replace('{', `{"${field}":1,`)), 'unknown_field');
  });

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
    'application/problem+json',
    'application/json; charset=utf-16',
    'application/json; version=1',
    'application/jsonx',
    ';',
    '',
  ])('is refused as "%s"', async (type) => {
    const answer = await send(text, { 'content-type': type });
    const taken = method === 'PATCH' ? 'application/json or application/merge-patch+json' : 'application/json';
    const message = `Send the body in UTF-8, uncompressed, with one Content-Type: ${taken}.`;
    expectError(answer, 'unsupported_media_type', message);
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
    for (const form of [{ 'transfer-encoding': 'chunked' }, ...types.map((type) => ({ 'content-type': type }))]) {
      const fresh = await request(service);
      const sent = JSON.stringify(fresh.body).padEnd(16_384);
      const { status } = await sendTo(fresh.path, sent, form);
      expect({ form, status }).toEqual({ form, status: method === 'POST' ? 201 : 200 });
    }
  });
});

/** Compares text, because a JavaScript number would already be rounded. */
describe('64-bit integers are exact', () => {
  const createWith = (categoryId: string | bigint) =>
    service.post('/v1/pets', `{"name":"Rex","categoryId":${categoryId}}`);

  it('in the bodies of requests and answers', async () => {
    const roundTrip = fc.asyncProperty(fc.bigInt(MIN, MAX), async (categoryId) => {
      const { text } = await createWith(categoryId);
      expect(text).toMatch(new RegExp(`^\\{"id":\\d+,"name":"Rex","categoryId":${categoryId}\\}$`));
      const [, id] = /"id":(\d+)/.exec(text) ?? [];
      expect((await service.get(`/v1/pets/${id}`)).text).toBe(text);
      expect((await service.get(`/v1/pets?limit=1&after=${BigInt(id!) - 1n}`)).text).toBe(`[${text}]`);
    });
    await fc.assert(roundTrip, { numRuns: 30, examples: EDGES.map((edge) => [edge]) });
  });

  it.each([
    ['1.0', '1'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['0.0', '0'],
    ['0e999999999', '0'],
    ['100e-2', '1'],
    ['-922337203685477580.8e1', `${MIN}`],
  ])('in every spelling of JSON: %s', async (written, meant) => {
    expect((await createWith(written)).text).toContain(`"categoryId":${meant}}`);
  });

  it.each([MIN - 1n, MAX + 1n])('beyond which there are none: %s', async (beyond) => {
    expectError(await createWith(beyond), 'invalid_field');
  });

  describeInside('as ids', () => {
    beforeAll(async () => {
      const rows = EDGES.map((edge) => `(${edge}, 'Edge', 0)`).join();
      await service.database.query('TRUNCATE pets CASCADE');
      await service.database.query(`INSERT INTO pets (id, name, category_id) OVERRIDING SYSTEM VALUE VALUES ${rows}`);
    });

    it.each(EDGES)('in the path, the query and links: %s', async (edge) => {
      expect((await service.get(`/v1/pets/${edge}`)).text).toMatch(new RegExp(`^\\{"id":${edge},`));
      expect((await service.get(`/v1/pets?ids=${edge}`)).text).toMatch(new RegExp(`^\\[\\{"id":${edge},`));
      if (edge === MIN) return;
      const page = await service.get(`/v1/pets?limit=1&after=${edge - 1n}`);
      expect(page.text).toMatch(new RegExp(`^\\[\\{"id":${edge},`));
      if (edge !== MAX) expect(page.headers['link']).toContain(`&after=${edge}>; rel="next"`);
    });

    it('that the service assigns', async () => {
      await service.database.query("SELECT setval(pg_get_serial_sequence('pets', 'id'), 9007199254740994)");
      const created = await createWith(1n);
      expect(created.text).toBe('{"id":9007199254740995,"name":"Rex","categoryId":1}');
      expect(created.headers['location']).toBe('/v1/pets/9007199254740995');
      expect((await service.get('/v1/pets/9007199254740995')).text).toBe(created.text);
      const ordered = await service.post('/v1/store/orders', '{"petId":9007199254740995}');
      expect(ordered.text).toContain('"petId":9007199254740995,');
      expectError(await service.get('/v1/pets/9007199254740996'), 'not_found');
    });
  });
});
