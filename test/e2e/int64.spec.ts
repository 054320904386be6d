import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const EDGES = [MIN, -9_007_199_254_740_993n, -1n, 0n, 1n, 9_007_199_254_740_993n, MAX];

/** Compares text, because a JavaScript number would already be rounded. */
describe('64-bit integers are exact', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

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
    ['-0', '0'],
    ['0.0', '0'],
    ['0e999999999', '0'],
    ['100e-2', '1'],
    ['9007199254740993.0', '9007199254740993'],
    ['9.223372036854775807e18', `${MAX}`],
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

  it.each(['/openapi.json', '/openapi.yaml'])('in the bounds of the document: %s', async (path) => {
    const { text } = await service.call('GET', path);
    expect(text).toMatch(/"?minimum"?: ?-9223372036854775808/);
    expect(text).toMatch(/"?maximum"?: ?9223372036854775807/);
  });
});
