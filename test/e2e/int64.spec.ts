import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { isCluster } from './support/database.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const MIN = '-9223372036854775808';
const MAX = '9223372036854775807';
const EDGES = [MIN, '-9007199254740993', '-1', '0', '1', '9007199254740992', '9007199254740993', MAX];

/** Compares text, because a JavaScript number would already be rounded. */
describe('64-bit integers are exact', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(EDGES)('in request and response bodies: %s', async (edge) => {
    const created = await service.post('/v1/pets', `{"name":"Rex","categoryId":${edge}}`);
    expect(created.text).toMatch(new RegExp(`^\\{"id":\\d+,"name":"Rex","categoryId":${edge}\\}$`));
    const [, id] = /"id":(\d+)/.exec(created.text) ?? [];
    expect((await service.get(`/v1/pets/${id}`)).text).toBe(created.text);
    expect((await service.get(`/v1/pets?limit=1&after=${BigInt(id ?? '') - 1n}`)).text).toBe(
      `[${created.text}]`,
    );
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
    ['9.223372036854775807e18', MAX],
    ['-922337203685477580.8e1', MIN],
  ])('in every JSON spelling: %s', async (written, meant) => {
    const { text } = await service.post('/v1/pets', `{"name":"Rex","categoryId":${written}}`);
    expect(text).toContain(`"categoryId":${meant}}`);
  });

  describe('as an id in the path, the query and links', () => {
    // On a cluster, ids start at 1, as the service gives them.
    const ids = EDGES.filter((edge) => !isCluster || BigInt(edge) > 0n);
    beforeAll(async () => {
      const insert = isCluster
        ? 'INSERT INTO pets (id, block, name, category_id) OVERRIDING SYSTEM VALUE VALUES ($1, $1::bigint >> 12, $2, 0)'
        : 'INSERT INTO pets (id, name, category_id) OVERRIDING SYSTEM VALUE VALUES ($1, $2, 0)';
      const database = service.app.get(DataSource);
      for (const edge of ids) await database.query(`${insert} ON CONFLICT DO NOTHING`, [edge, 'Edge']);
      await database.query(`SELECT setval(pg_get_serial_sequence('pets', 'id'), ${MAX})`);
    });

    it.each(ids)('%s', async (edge) => {
      expect((await service.get(`/v1/pets/${edge}`)).text).toMatch(new RegExp(`^\\{"id":${edge},`));
      if (edge === MIN) return;
      const page = await service.get(`/v1/pets?limit=1&after=${BigInt(edge) - 1n}`);
      expect(page.text).toMatch(new RegExp(`^\\[\\{"id":${edge},`));
      if (edge !== MAX) expect(page.headers['link']).toContain(`&after=${edge}>; rel="next"`);
    });
  });

  it('when the service assigns ids beyond 2^53', async () => {
    await service.app
      .get(DataSource)
      .query("SELECT setval(pg_get_serial_sequence('pets', 'id'), 9007199254740994)");
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(created.text).toBe('{"id":9007199254740995,"name":"Rex","categoryId":1}');
    expect(created.headers['location']).toBe('/v1/pets/9007199254740995');
    expect((await service.get('/v1/pets/9007199254740995')).text).toBe(created.text);
    expectError(await service.get('/v1/pets/9007199254740996'), 'not_found');
  });

  it.each(['/openapi.json', '/openapi.yaml'])('in the bounds of the document: %s', async (path) => {
    const { text } = await service.call('GET', path);
    expect(text).toMatch(/"?minimum"?: -9223372036854775808/);
    expect(text).toMatch(/"?maximum"?: 9223372036854775807/);
  });
});
