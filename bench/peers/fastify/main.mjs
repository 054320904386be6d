// A hand-optimised stack: Fastify, the driver's pool, named prepared statements, compiled schemas.
import Fastify, { LogController } from 'fastify';
import pino from 'pino';
import { KnownKeys } from '../known-keys.mjs';
import * as database from './database.mjs';
import * as schemas from './schemas.mjs';

const keys = new KnownKeys(async (hash) => (await database.findKey([hash]))[0]);
const app = Fastify({
  loggerInstance: pino({ level: 'info', base: null }, pino.destination({ dest: 1, sync: true })),
  logController: new LogController({ disableRequestLogging: true }),
});

app.decorateRequest('key', null);
app.addHook('onRequest', async (request, reply) => {
  const key = await keys.verifyHeader(request.headers.authorization);
  if (!key) return reply.code(401).send(failure(401, 'invalid_api_key', 'The API key is not valid.'));
  request.key = key;
});
// Logs one line per request, like the service.
app.addHook('onResponse', (request, reply, done) => {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key: request.key?.name,
    },
    'request',
  );
  done();
});
app.setErrorHandler((error, request, reply) => {
  const status = error.validation ? 400 : (error.statusCode ?? 500);
  if (status >= 500) request.log.error(error);
  return reply.code(status).send(failure(status, status < 500 ? 'bad_request' : 'internal', error.message));
});

app.get('/v1/pets', { schema: schemas.listPets }, async ({ query }, reply) => {
  const { limit, status, after = 0 } = query;
  const rows = status
    ? await database.findPageByStatus([after, limit + 1, status])
    : await database.findPage([after, limit + 1]);
  const page = rows.length > limit ? rows.slice(0, limit) : rows;
  if (rows.length > limit) reply.header('link', nextLink(query, page.at(-1).id));
  return page.map(toPet);
});

app.post('/v1/pets', { schema: schemas.createPet }, async ({ body }, reply) => {
  const [row] = await database.insert([body.name, body.categoryId, body.status ?? null]);
  reply.code(201).header('location', `/v1/pets/${row.id}`);
  return toPet(row);
});

app.get('/v1/pets/:petId', { schema: schemas.getPet }, async ({ params }, reply) => {
  const [row] = await database.findOne([params.petId]);
  return row ? toPet(row) : reply.code(404).send(failure(404, 'not_found', 'There is no such animal.'));
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });

function nextLink({ limit, status }, after) {
  return `</v1/pets?limit=${limit}${status ? `&status=${status}` : ''}&after=${after}>; rel="next"`;
}

/** Omits a null status. */
function toPet(row) {
  if (row.status === null) delete row.status;
  return row;
}

function failure(status, code, message) {
  return { code, message, status };
}
