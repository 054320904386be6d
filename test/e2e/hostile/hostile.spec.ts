import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../../src/auth/key-format.js';
import { KeysService } from '../../../src/auth/keys.service.js';
import { type Service, startService } from '../support/service.js';
import { credentials } from './credentials.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { json } from './json.js';
import { malformedHttp } from './malformed-http.js';
import { mediaTypes } from './media-types.js';
import { methods } from './methods.js';
import { numbers } from './numbers.js';
import { orders } from './orders.js';
import { parameters } from './parameters.js';
import { expectAnswers, type Keys } from './runner.js';
import { smuggling } from './smuggling.js';
import { text } from './text.js';
import { urls } from './urls.js';

const FAMILIES = {
  methods,
  credentials,
  mediaTypes,
  malformedHttp,
  smuggling,
  urls,
  json,
  numbers,
  text,
  parameters,
  orders,
  idempotencyKeys,
};
const MEGABYTE = 1_048_576;
const WARNING = 40;

/** Raw requests with their exact answers; notation.ts explains the notation. */
describe('Hostile input', () => {
  let service: Service;
  let keys: Keys;
  let before: Resources;
  let logged: number;

  beforeAll(async () => {
    service = await startService({ rateLimitPerKey: 0, rateLimitFailures: 0 });
    keys = await issueKeys(service);
    await addWhatLinesName(service);
    before = await settled(service);
    logged = service.log.length;
  });
  afterAll(() => service.stop());

  it.each(Object.entries(FAMILIES))('gets the expected answers: %s', async (_, lines) => {
    await expectAnswers(service, keys, lines);
  });

  it('covers at least 250 different requests', () => {
    const requests = Object.values(FAMILIES).flatMap((lines) => lines.map(([, request]) => request));
    expect(requests.length).toBeGreaterThanOrEqual(250);
    expect(requests.filter((request, i) => requests.indexOf(request) !== i)).toEqual([]);
  });

  it('leaks no connections, files or memory', async () => {
    expect((await service.get('/v1/pets?limit=1')).status).toBe(200);
    const after = await settled(service, before);
    expect(after.connections).toBe(before.connections);
    // The database pool may have opened a few more sockets.
    expect(after.files).toBeLessThanOrEqual(before.files + 10);
    expect(after.heap).toBeLessThan(before.heap + 32 * MEGABYTE);
  });

  it('logs no warnings, errors or keys', () => {
    const lines = service.log.slice(logged).map((line) => JSON.parse(line) as { level: number });
    expect(lines.filter(({ level }) => level >= WARNING)).toEqual([]);
    for (const key of Object.values(keys)) expect(service.log.join('')).not.toContain(key);
  });
});

/** Animals 1 to 3, of which orders.ts says what they have. */
async function addWhatLinesName(service: Service): Promise<void> {
  for (const name of ['Rex', 'Bella', 'Max']) await service.post('/v1/pets', { name, categoryId: 1 });
  for (const petId of [1, 2]) await service.post('/v1/store/orders', { petId });
  const { json } = await service.patch('/v1/store/orders/2', { complete: true });
  expect(json).toEqual({ id: 2, petId: 2, quantity: 1, complete: true });
}

async function issueKeys({ app, key }: Service): Promise<Keys> {
  const service = app.get(KeysService);
  const { key: expired } = await service.issue({ name: 'expired', lifeMs: -1 });
  const { id, key: revoked } = await service.issue({ name: 'revoked' });
  await service.revoke(id);
  return { key, expired, revoked, other: generateKey('live'), unknown: generateKey('test') };
}

interface Resources {
  connections: number;
  files: number;
  heap: number;
}

/** Measures resources after waiting for sockets to close, without garbage. */
async function settled({ app }: Service, aim?: Resources): Promise<Resources> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const server = app.getHttpServer();
  for (let patience = 200; ; patience--) {
    const connections = await new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
    const files = readdirSync('/proc/self/fd').length;
    if (patience === 0 || (connections <= (aim?.connections ?? 0) && files <= (aim?.files ?? Infinity))) {
      collect();
      return { connections, files, heap: process.memoryUsage().heapUsed };
    }
    await delay(50);
  }
}
