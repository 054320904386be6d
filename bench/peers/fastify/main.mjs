// By hand, for speed: Fastify, the driver's pool, named statements, compiled schemas, a log line for each request.
import Fastify, { LogController } from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { KnownKeys } from './known-keys.mjs';

// Exact beyond 2^53, as in the service.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const prepared = (name, text) => async (values) => (await pool.query({ name, text, values })).rows;

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const findKey = prepared('key', 'SELECT name, expires_at, revoked_at FROM api_keys WHERE hash = $1');
const findPage = prepared('page', `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`);
const findPageByStatus = prepared(
  'page-by-status',
  `SELECT ${COLUMNS} FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2`,
);
const findOne = prepared('one', `SELECT ${COLUMNS} FROM pets WHERE id = $1`);
const insert = prepared(
  'insert',
  `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
);

const int64 = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 };
const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const name = { type: 'string', minLength: 1, maxLength: 255 };
const integer = { type: 'integer' }; // serialises a BigInt exactly
const pet = { type: 'object', properties: { id: integer, name: { type: 'string' }, categoryId: integer, status } };
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const LIST = {
  querystring: { type: 'object', properties: { limit, after: int64, status } },
  response: { 200: { type: 'array', items: pet } },
};
const CREATE = {
  body: { type: 'object', required: ['name', 'categoryId'], properties: { name, categoryId: int64, status } },
  response: { 201: pet },
};
const GET = { params: { type: 'object', properties: { petId: int64 } }, response: { 200: pet } };

const keys = new KnownKeys(async (hash) => (await findKey([hash]))[0]);
const app = Fastify({
  loggerInstance: pino({ level: 'info', base: null }, pino.destination({ dest: 1, sync: true })),
  logController: new LogController({ disableRequestLogging: true }),
});

app.decorateRequest('key', null);
app.addHook('onRequest', async (request, reply) => {
  const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  request.key = token && (await keys.verify(token));
  if (!request.key) return reply.code(401).send({ code: 'invalid_api_key', message: 'The API key is not valid.' });
});
app.addHook('onResponse', (request, reply, done) => {
  const line = { method: request.method, route: request.routeOptions.url, status: reply.statusCode };
  request.log.info({ ...line, ms: Math.round(reply.elapsedTime * 10) / 10, key: request.key?.name }, 'request');
  done();
});
app.get('/v1/pets', { schema: LIST }, async ({ query }, reply) => {
  const after = query.after ?? 0;
  const rows = query.status
    ? await findPageByStatus([after, query.limit + 1, query.status])
    : await findPage([after, query.limit + 1]);
  if (rows.length <= query.limit) return rows.map(toPet);
  const page = rows.slice(0, query.limit);
  const filter = query.status ? `&status=${query.status}` : '';
  reply.header('link', `</v1/pets?limit=${query.limit}${filter}&after=${page.at(-1).id}>; rel="next"`);
  return page.map(toPet);
});

app.post('/v1/pets', { schema: CREATE }, async ({ body }, reply) => {
  const [row] = await insert([body.name, body.categoryId, body.status ?? null]);
  reply.code(201).header('location', `/v1/pets/${row.id}`);
  return toPet(row);
});

app.get('/v1/pets/:petId', { schema: GET }, async ({ params }, reply) => {
  const [row] = await findOne([params.petId]);
  return row ? toPet(row) : reply.code(404).send({ code: 'not_found', message: 'There is no such animal.' });
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });

/** Omits a null status. */
function toPet(row) {
  if (row.status === null) delete row.status;
  return row;
}
