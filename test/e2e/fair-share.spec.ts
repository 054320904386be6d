import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { CACHE_MS } from '../../src/auth/key-cache.js';
import { KeysRepository } from '../../src/auth/keys.repository.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { partyOf } from '../../src/database/batching/owners.js';
import { StatementQueues } from '../../src/database/batching/statement-queues.js';
import { RunAgain } from '../../src/database/transactions/recorded-change.js';
import { Transactions } from '../../src/database/transactions/transactions.js';
import { OrdersService } from '../../src/orders/orders.service.js';
import { LoadMonitor } from '../../src/edge/load-monitor.js';
import { Metrics } from '../../src/observability/metrics.js';
import { RateLimits } from '../../src/rate-limit/rate-limits.js';
import { TRANSACTIONAL, type Transactional } from '../../src/edge/transaction-turns.js';
import { PetsController } from '../../src/pets/pets.controller.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const REFUSED = 'Too many requests of this key are under way. Try again in a second.';
const BODY = '{"name":"Rex","categoryId":1}';

/**
 * Three of four requests are the share of a key, and of a network. What is sent on `greedy` connections is answered at the
 * `end`.
 */
describe('While one key or network has its share of requests under way, the service', () => {
  let service: Service;
  let greedyKey: string;
  const greedy: Socket[] = [];
  let end: () => void;
  /** Resolves when as many requests have begun to hang. */
  let hanging: (requests: number) => Promise<void>;

  beforeAll(async () => {
    service = await startService({ maxConcurrentRequests: 4, metricsPort: 0, trustedProxies: ['127.0.0.1'] });
    greedyKey = (await service.app.get(KeysService).issue({ name: 'greedy' })).key;
  });
  afterEach(async () => {
    end();
    await close(greedy.splice(0));
  });
  afterAll(() => service.stop());

  beforeEach(() => {
    const repository = service.app.get(PetsRepository);
    const { findPage, insert } = repository;
    let begun = 0;
    let announce = (): void => {};
    const ended = new Promise<never>((_, reject) => (end = () => reject(new Error('the end of the test'))));
    ended.catch(() => {});
    const hang = (): Promise<never> => {
      begun++;
      announce();
      return ended;
    };
    Object.assign(repository, { findPage: hang, insert: hang });
    hanging = async (requests) => {
      await new Promise<void>((resolve) => {
        announce = () => void (begun >= requests && resolve());
        announce();
      });
      Object.assign(repository, { findPage, insert });
    };
  });

  const send = (text: string): Socket => {
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    greedy.push(socket.on('error', () => {}));
    return socket;
  };
  const listGreedily = (): Promise<Answer> =>
    service.get('/v1/pets', { headers: { authorization: `Bearer ${greedyKey}` }, once: true });
  const listElsewhere = (): Promise<Answer> =>
    service.get('/v1/pets', { headers: { 'x-forwarded-for': '192.0.2.1' } });
  const head = (method: string, fields = '', key = greedyKey): string =>
    `${method} /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${fields}\r\n`;

  it.each([
    ['lists', () => head('GET')],
    ['pipelined lists', () => head('GET').repeat(3)],
    ['lists that announce a body', () => head('GET', 'Content-Length: 1\r\n')],
    [
      'POSTs',
      () => head('POST', `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`) + BODY,
    ],
  ])('refuses more %s of that key, serves others, and counts them until they end', async (_, request) => {
    const sockets = [1, 2, 3].map(() => send(request()));
    await hanging(3);
    const before = service.app.get(LoadMonitor).refused;
    const refused = await listGreedily();
    expectError(refused, 'service_unavailable', REFUSED);
    expect(refused.headers['retry-after']).toBe('1');
    expect(service.app.get(LoadMonitor).refused).toBe(before + 1);
    expect(
      await service.app.get(Metrics).registry.getSingleMetricAsString('http_requests_total'),
    ).not.toContain('status="503"');
    expectAnswer(await listElsewhere(), 200, []);
    await close(sockets);
    expectError(await listGreedily(), 'service_unavailable', REFUSED);
    end();
    let answer = await listGreedily();
    for (let i = 0; i < 100 && answer.status !== 200; i++) answer = await listGreedily();
    expectAnswer(answer, 200, []);
  });

  it('refuses POSTs of that key whose bodies arrive later', async () => {
    const fields = `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`;
    const sockets = [1, 2, 3, 4].map(() => send(head('POST', fields)));
    await Promise.all(sockets.map((socket) => next(socket)));
    const refused = Promise.any(sockets.map((socket) => next(socket)));
    for (const socket of sockets) socket.write(BODY);
    await hanging(3);
    expect(await refused).toContain(REFUSED);
    expectAnswer(await listElsewhere(), 200, []);
  });

  it('refuses requests of further keys of that network, and serves those of another one', async () => {
    const keys = service.app.get(KeysService);
    for (let i = 0; i < 3; i++) send(head('GET', '', (await keys.issue({ name: `greedy-${i}` })).key));
    await hanging(3);
    expectError(
      await listGreedily(),
      'service_unavailable',
      'Too many requests of this network are under way. Try again in a second.',
    );
    expectAnswer(await listElsewhere(), 200, []);
  });

  it('refuses POSTs of that key that have waited for the rate limit', async () => {
    const { requests } = service.app.get(RateLimits);
    let waiting = 0;
    let release = (): void => {};
    const released = new Promise<never>((resolve) => (release = resolve as () => void));
    requests.take = () => {
      waiting++;
      return released;
    };
    const fields = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
    const sockets = [1, 2, 3, 4].map(() => send(head('POST', fields) + BODY));
    const refused = Promise.any(sockets.map((socket) => next(socket)));
    while (waiting < 4) await delay(1);
    release();
    Reflect.deleteProperty(requests, 'take');
    await hanging(3);
    expect(await refused).toContain(REFUSED);
    expectAnswer(await listElsewhere(), 200, []);
  });

  it('refuses more lists while those of that key wait for its look-up', async () => {
    await hanging(0);
    expectAnswer(await listGreedily(), 200, []);
    await delay(CACHE_MS + 100); // the key is known, and has to be looked up again
    const repository = service.app.get(KeysRepository);
    const ended = new Promise<never>((_, reject) => (end = () => reject(new Error('the end of the test'))));
    ended.catch(() => {});
    repository.findByHash = () => ended;
    try {
      for (let i = 0; i < 3; i++) send(head('GET'));
      const { byNetwork } = service.app.get(LoadMonitor);
      while (byNetwork.total < 3) await delay(1);
      expectError(await listGreedily(), 'service_unavailable', REFUSED);
    } finally {
      Reflect.deleteProperty(repository, 'findByHash');
    }
  });

  it('refuses POSTs of that key whose bodies arrive during its look-up', async () => {
    await hanging(0);
    expectAnswer(await listGreedily(), 200, []);
    await delay(CACHE_MS + 100);
    const repository = service.app.get(KeysRepository);
    const { findByHash } = repository;
    let found = (): void => {};
    const isFound = new Promise<void>((resolve) => (found = resolve));
    let asked = 0;
    repository.findByHash = async (...key) => {
      asked++;
      await isFound;
      return findByHash.apply(repository, key);
    };
    const { requests } = service.app.get(RateLimits);
    let passed = 0;
    const ended = new Promise<never>((_, reject) => (end = () => reject(new Error('the end of the test'))));
    requests.take = () => {
      passed++;
      return ended;
    };
    try {
      const fields = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
      const sockets = [1, 2, 3, 4].map(() => send(head('POST', fields)));
      const refused = Promise.any(sockets.map((socket) => next(socket)));
      while (asked === 0) await delay(1);
      for (const socket of sockets) socket.write(BODY);
      await delay(50); // for the bodies
      found();
      expect(await refused).toContain(REFUSED);
      expect(passed).toBe(3);
    } finally {
      Reflect.deleteProperty(requests, 'take');
      Reflect.deleteProperty(repository, 'findByHash');
    }
  });

  it('has refused requests counted for no rate limit', async () => {
    for (let i = 0; i < 3; i++) send(head('GET'));
    await hanging(3);
    expect((await listGreedily()).headers).not.toHaveProperty('ratelimit');
  });
});

@Controller('reports')
class ReportsController {
  constructor(readonly transactions: Transactions) {}
}

@Module({ controllers: [ReportsController] })
class ReportsModule {}

describeInside('Operations that run transactions', () => {
  it('are those of a controller that does so itself, too', async () => {
    const service = await startService({}, undefined, [ReportsModule]);
    const { controllers } = service.app.get<Transactional>(TRANSACTIONAL);
    await service.stop();
    expect([...controllers]).toContain(ReportsController);
    expect([...controllers]).not.toContain(PetsController);
  });
});

describe('While one key has its share of transactions under way, the service', () => {
  let service: Service;
  let greedyKey: string;
  let mostRunning: number;
  let mostPerKey: number;
  const endings: (() => void)[] = [];
  const finish = (): void => endings.splice(0).forEach((end) => end());
  const sockets: Socket[] = [];
  let nextId = 1_000;

  beforeAll(async () => {
    service = await startService();
    ({ mostRunning, mostPerKey } = service.app.get<Transactional>(TRANSACTIONAL));
    greedyKey = await issue('greedy');
  });
  afterAll(() => service.stop());
  afterEach(() => close(sockets.splice(0)));

  const issue = async (name: string): Promise<string> =>
    (await service.app.get(KeysService).issue({ name })).key;

  /** Deletes orders with the key, or one order. All hang until `finish`. */
  const hang = async (key: string, count: number, id?: number): Promise<void> => {
    const orders = service.app.get(OrdersService);
    const { delete: original } = orders;
    const isHanging = new Promise<void>((resolve) => {
      let begun = 0;
      const ending = new Promise<void>((end) => endings.push(end));
      orders.delete = () => {
        if (++begun === count) resolve();
        return ending;
      };
    });
    const { hostname, port } = new URL(service.origin);
    for (let i = 0; i < count; i++) {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `DELETE /v1/store/orders/${id ?? nextId++} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
        ),
      );
      sockets.push(socket.on('error', () => {}));
    }
    await isHanging;
    orders.delete = original;
  };
  beforeEach(() => hang(greedyKey, mostPerKey));
  afterEach(() => finish());

  const deleteGreedily = (): Promise<Answer> =>
    service.call('DELETE', '/v1/store/orders/7', {
      headers: { authorization: `Bearer ${greedyKey}` },
      once: true,
    });

  it('refuses more of that key after a wait, and serves other keys and reads', async () => {
    const refused = await deleteGreedily();
    expectError(refused, 'service_unavailable', REFUSED);
    expect(refused.headers['retry-after']).toBe('1');
    expectError(await service.delete('/v1/store/orders/7'), 'not_found');
    const read = await service.get('/v1/store/orders', { headers: { authorization: `Bearer ${greedyKey}` } });
    expectAnswer(read, 200, []);
  });

  it('has transactions of others wait, and logs it, while those of several keys take all turns', async () => {
    await hang(await issue('second'), mostRunning - mostPerKey);
    const before = service.log.length;
    const busy = 'The database is too busy at the moment. Nothing was stored.';
    for (let i = 0; i < 4; i++)
      expectError(await service.delete('/v1/store/orders/7', { once: true }), 'service_unavailable', busy);
    expect(service.log.slice(before).join('')).toContain(
      'Transactions wait longer than 350 ms for a connection',
    );
    const waiting = service.delete('/v1/store/orders/7');
    finish();
    expectError(await waiting, 'not_found');
  });

  it('serves changes of other orders while those of one, by several keys, wait for each other', async () => {
    finish();
    const keys = await Promise.all(['second', 'third'].map(issue));
    const mostOfOne = Math.min(2, Math.floor(mostRunning / 2));
    for (let i = 0; i < mostOfOne; i++) await hang(keys[i % 2] as string, 1, 5);
    expectError(
      await service.delete('/v1/store/orders/5'),
      'service_unavailable',
      'Too many changes of this resource are under way. Try again in a second.',
    );
    for (const other of ['7', '8'])
      expectError(await service.delete(`/v1/store/orders/${other}`), 'not_found');
    const waiting = service.delete('/v1/store/orders/5');
    finish();
    expectError(await waiting, 'not_found');
  });

  const order = (key: string, rest: string): Socket => {
    const { hostname, port } = new URL(service.origin);
    const fields = `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 11`;
    const socket = connect(Number(port), hostname, () =>
      socket.write(`POST /v1/store/orders HTTP/1.1\r\nHost: x\r\n${fields}\r\n${rest}`),
    );
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  const EXPECTING = 'Expect: 100-continue\r\n\r\n';

  it('serves others beside orders whose bodies are late, which need a turn once those are there', async () => {
    const second = await issue('late');
    const late = Array.from({ length: mostRunning - mostPerKey }, () => order(second, EXPECTING));
    const greedy = order(greedyKey, EXPECTING);
    for (const socket of [...late, greedy]) expect(await next(socket)).toContain('100 Continue');
    expectError(await service.delete('/v1/store/orders/7'), 'not_found');
    const refused = next(greedy);
    greedy.write('{"petId":7}');
    expect(await refused).toContain(REFUSED);
    // The key is known, so the guards run before the parser goes on from the head to the body.
    await service.get('/v1/pets', { headers: { authorization: `Bearer ${greedyKey}` } });
    expect(await next(order(greedyKey, '\r\n{"petId":7}'))).toContain(REFUSED);
    for (const socket of late) {
      const answer = next(socket);
      socket.write('{"petId":7}');
      expect(await answer).toContain('invalid_field');
    }
  });

  it('serves creates of animals of that key, which share transactions', async () => {
    const created = await service.post('/v1/pets', BODY, {
      headers: { authorization: `Bearer ${greedyKey}` },
    });
    expect(created.status).toBe(201);
  });

  it('refuses its creates under an Idempotency-Key that can share none, and serves those of others', async () => {
    const queues = service.app.get(StatementQueues);
    const { writeRecorded } = queues;
    queues.writeRecorded = () => Promise.reject(new RunAgain());
    const create = (authorization: string): Promise<Answer> =>
      service.post('/v1/pets', BODY, { headers: { authorization, 'idempotency-key': randomUUID() } });
    try {
      expectError(await create(`Bearer ${greedyKey}`), 'service_unavailable', REFUSED);
      expect((await create(`Bearer ${service.key}`)).status).toBe(201);
    } finally {
      queues.writeRecorded = writeRecorded;
    }
    // Its own changes were not refused: they go on sharing batches with others.
    const { load } = await service.app.get(KeysService).verify(greedyKey);
    expect(partyOf(load)).toBeUndefined();
  });

  it('serves that key afterwards, although some of its creates were answered while they waited', async () => {
    const queues = service.app.get(StatementQueues);
    const { writeRecorded } = queues;
    const firstFailure = delay(850);
    queues.writeRecorded = () => firstFailure.then(() => Promise.reject(new RunAgain()));
    const create = (): Promise<Answer> =>
      service.post('/v1/pets', BODY, {
        headers: { authorization: `Bearer ${greedyKey}`, 'idempotency-key': randomUUID() },
      });
    try {
      const late = await Promise.all(Array.from({ length: mostPerKey }, create));
      for (const answer of late) expectError(answer, 'service_unavailable', expect.anything());
    } finally {
      queues.writeRecorded = writeRecorded;
    }
    finish();
    await delay(400); // longer than a wait for a turn
    expectError(await deleteGreedily(), 'not_found');
    const { load } = await service.app.get(KeysService).verify(greedyKey);
    expect(partyOf(load)).toBeUndefined();
  });

  it('serves those of that key that wait when another one ends', async () => {
    const waiting = deleteGreedily();
    finish();
    expectError(await waiting, 'not_found');
  });

  it('counts them until they end, although their connections are closed', async () => {
    await close(sockets);
    expectError(await deleteGreedily(), 'service_unavailable', REFUSED);
    finish();
    let answer = await deleteGreedily();
    for (let i = 0; i < 100 && answer.status !== 404; i++) answer = await deleteGreedily();
    expectError(answer, 'not_found');
  });
});

function next(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
}

async function close(sockets: Socket[]): Promise<void> {
  const open = sockets.filter((socket) => !socket.closed);
  await Promise.all(open.map((socket) => once(socket.destroy(), 'close')));
}
