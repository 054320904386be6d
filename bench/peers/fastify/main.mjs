// Three peers: Fastify by hand, with the pool of the driver; the same with plugins, as they come, for what the service does
// besides (PEER=plugins); and by hand on two pipelined connections with shared INSERTs (PEER=pipelines).
import Fastify, { LogController } from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { KnownKeys } from '../known-keys.mjs';

const { DATABASE_URL: connectionString, PORT, PEER } = process.env;

// Exact beyond 2^53, as in the service.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
const pipeline = () => new pg.Client({ connectionString, pipeline: true });
const connections = PEER === 'pipelines' ? [pipeline(), pipeline()] : [new pg.Pool({ connectionString, max: 10 })];
if (PEER === 'pipelines') for (const client of connections) await client.connect();
let turn = 0;
const run = async (name, text, values) =>
  (await connections[turn++ % connections.length].query({ name, text, values })).rows;

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const SELECT = `SELECT ${COLUMNS} FROM pets WHERE`;
const findKey = (hash) => run('key', 'SELECT name, expires_at, revoked_at FROM api_keys WHERE hash = $1', [hash]);
const findOne = (id) => run('one', `${SELECT} id = $1`, [id]);
const findPage = (after, limit, status) =>
  status
    ? run('page-by-status', `${SELECT} status = $3 AND id > $1 ORDER BY id LIMIT $2`, [after, limit, status])
    : run('page', `${SELECT} id > $1 ORDER BY id LIMIT $2`, [after, limit]);

const INTO = 'INSERT INTO pets (name, category_id, status) VALUES';
const insertAlone = async (values) => (await run('insert', `${INTO} ($1, $2, $3) RETURNING ${COLUMNS}`, values))[0];

/** Animals that arrive while others are being stored share the next INSERT. */
const waiting = [];
let isStoring = false;
const insertTogether = (values) =>
  new Promise((resolve) => {
    waiting.push({ values, resolve });
    if (!isStoring) void store();
  });
async function store() {
  isStoring = true;
  for (let group; (group = waiting.splice(0, 32)).length > 0;) {
    const tuples = group.map((_, i) => `($${3 * i + 1}, $${3 * i + 2}, $${3 * i + 3})`);
    const text = `${INTO} ${tuples.join(', ')} RETURNING ${COLUMNS}`;
    const values = group.flatMap((each) => each.values);
    const rows = await run(`insert-${group.length}`, text, values);
    for (const [i, { resolve }] of group.entries()) resolve(rows[i]);
  }
  isStoring = false;
}
const insert = PEER === 'pipelines' ? insertTogether : insertAlone;

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

const keys = new KnownKeys(async (hash) => (await findKey(hash))[0]);
const app = PEER === 'plugins' ? await withPlugins() : byHand();

/** What a careful user would take. The limit is out of reach. */
async function withPlugins() {
  const server = Fastify({ logger: true });
  const add = async (plugin, options) => server.register((await import(plugin)).default, options);
  await add('@fastify/helmet');
  await add('@fastify/under-pressure', { maxEventLoopDelay: 500 });
  await add('fastify-metrics', { endpoint: '/metrics' });
  await add('@fastify/bearer-auth', { keys: new Set(), auth: async (token) => Boolean(await keys.verify(token)) });
  const keyGenerator = ({ headers }) => headers.authorization;
  await add('@fastify/rate-limit', { max: 100_000_000, timeWindow: '1 minute', keyGenerator });
  return server;
}

/** With compiled schemas, a check of the key, and a log line for each request. */
function byHand() {
  const server = Fastify({
    loggerInstance: pino({ level: 'info', base: null }, pino.destination({ dest: 1, sync: true })),
    logController: new LogController({ disableRequestLogging: true }),
  });
  server.decorateRequest('key', null);
  server.addHook('onRequest', async (request, reply) => {
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? [];
    request.key = token && (await keys.verify(token));
    if (!request.key) return reply.code(401).send({ code: 'invalid_api_key', message: 'The API key is not valid.' });
  });
  server.addHook('onResponse', (request, reply, done) => {
    const line = { method: request.method, route: request.routeOptions.url, status: reply.statusCode };
    request.log.info({ ...line, ms: Math.round(reply.elapsedTime * 10) / 10, key: request.key?.name }, 'request');
    done();
  });
  return server;
}

app.get('/v1/pets', { schema: LIST }, async ({ query }, reply) => {
  const rows = await findPage(query.after ?? 0, query.limit + 1, query.status);
  if (rows.length <= query.limit) return rows.map(toPet);
  const page = rows.slice(0, query.limit);
  const filter = query.status ? `&status=${query.status}` : '';
  reply.header('link', `</v1/pets?limit=${query.limit}${filter}&after=${page.at(-1).id}>; rel="next"`);
  return page.map(toPet);
});

app.post('/v1/pets', { schema: CREATE }, async ({ body }, reply) => {
  const row = await insert([body.name, body.categoryId, body.status ?? null]);
  reply.code(201).header('location', `/v1/pets/${row.id}`);
  return toPet(row);
});

app.get('/v1/pets/:petId', { schema: GET }, async ({ params }, reply) => {
  const [row] = await findOne(params.petId);
  return row ? toPet(row) : reply.code(404).send({ code: 'not_found', message: 'There is no such animal.' });
});

await app.listen({ host: '127.0.0.1', port: Number(PORT) });

/** Omits a null status. */
function toPet(row) {
  if (row.status === null) delete row.status;
  return row;
}
