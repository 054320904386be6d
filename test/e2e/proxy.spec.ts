import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ErrorCode, ERRORS } from '../../src/api/errors/error-catalogue.js';
import { SECURITY_HEADERS } from '../../src/edge/security-headers.js';
import { SMUGGLED_TARGET, smuggling } from './hostile/smuggling.js';
import {
  CONFIGURATION,
  describeProxy,
  type Proxy,
  requireHaproxy,
  startMuteReplica,
  startProxy,
} from './support/proxy.js';
import { type Service, startService } from './support/service.js';
import { openMany, parseRaw, sendAndClose, sendRaw } from './support/socket.js';

const BODY_BYTES = 16_384;
const DOCUMENTS_PER_ADDRESS = 64;
/** With more connections in use, idle ones are closed. */
const CONNECTIONS_KEPT = 1_500;
/** The rest is for addresses with few. */
const CONNECTIONS_OF_CROWDS = 2_000;
/** The most that four addresses get of the 20 connections of the status, in whatever order they come. */
const STATUS_OF_FOUR = 15;
/** More requests than the slots of a replica and the places of its queue, both for keys that it knows and for strangers. */
const CROWD = 200;
/** Of a replica, for keys that it knows. */
const SLOTS = 64;
const SLOTS_FOR_STRANGERS = 32;
/** These slots, and some places of the queue. */
const KEY_ALONE = 70;
/** How long a request waits for a slot. */
const QUEUE_MS = 500;
const [CLIENTS, STRANGERS] = ['animal_store', 'strangers'];
const BUFFER_BYTES = 131_072;
const CHUNK = `3e8\r\n${'x'.repeat(1_000)}\r\n`;
/** A header that the proxy removes. */
const FORGED = `X-Forwarded-For: ${'1'.repeat(80_000)}`;

describeProxy('The proxy (needs HAProxy)', () => {
  const get = (path: string, ...headers: string[]): string =>
    ['GET ' + path + ' HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');
  const post = (path: string, length: number, body: string, ...headers: string[]): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

  const expectError = (raw: string, status: number, code: ErrorCode): Record<string, string> => {
    const answer = parseRaw(raw);
    expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toEqual({
      status,
      body: { code, message: expect.any(String), status },
    });
    expect(answer.headers).toMatchObject({
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'no-store',
    });
    return answer.headers;
  };

  describe('in front of the service', () => {
    let service: Service;
    let proxy: Proxy;
    beforeAll(async () => {
      service = await startService();
      proxy = await startProxy(service.origin);
    });
    afterAll(async () => {
      await proxy.stop();
      await service.stop();
    });
    const send = (text: string): Promise<string> => sendRaw(proxy.origin, text);
    const authorization = (): string => `Authorization: Bearer ${service.key}`;

    it('lets a request through that is as large as the service takes', async () => {
      const pet = `{"name":"x","categoryId":1`;
      const body = pet.padEnd(BODY_BYTES - 1) + '}';
      const raw = await send(
        post('/v1/pets', BODY_BYTES, body, authorization(), `X-Filler: ${'x'.repeat(15_500)}`),
      );
      expect(parseRaw(raw).status).toBe(201);
      expect(parseRaw(await send(get(`/v1/pets?limit=1`, authorization()))).status).toBe(200);
    });

    it.each<[ErrorCode, () => string]>([
      ['uri_too_long', () => get(`/v1/pets?${'x'.repeat(9_000)}`)],
      ['headers_too_large', () => get('/v1/pets', `X-Filler: ${'x'.repeat(30_000)}`)],
      ['payload_too_large', () => post('/v1/pets', 16_385, ' '.repeat(16_385), authorization())],
      ['payload_too_large', () => post('/v1/pets', 60_000, ' '.repeat(60_000), authorization())],
    ])('lets the service refuse what is larger, with %s', async (code, text) => {
      expectErrorOfService(await send(text()), code);
    });

    it.each<[ErrorCode, () => string]>([
      ['payload_too_large', () => post('/v1/pets', 70_000, ' '.repeat(70_000), authorization())],
      ['headers_too_large', () => get('/v1/pets', `X-Filler: ${'x'.repeat(40_000)}`, authorization())],
    ])('refuses what is far larger itself, with %s', async (code, text) => {
      const requests = () => service.log.filter((line) => !line.includes('/health/'));
      const seen = requests();
      const raw = await send(text());
      expect(expectError(raw, ERRORS[code].status, code)).toHaveProperty('x-request-id');
      expect(requests()).toEqual(seen);
    });

    it('gives the service the id of a request, and makes one for a request without', async () => {
      const id = async (...given: string[]): Promise<string | undefined> =>
        parseRaw(await send(get('/v1/pets', ...given))).headers['x-request-id'];
      expect(await id('X-Request-Id: of-the.client_1')).toBe('of-the.client_1');
      expect(await id('X-Request-Id: a,b')).toMatch(/^[\da-f-]{36}$/);
      expect(await id('X-Request-Id: a', 'X-Request-Id: b')).toMatch(/^[\da-f-]{36}$/);
      expect(await id()).toMatch(/^[\da-f-]{36}$/);
    });

    it('refuses a body that does not come, with 408', async () => {
      const raw = await send(post('/v1/pets', 100, '{', authorization(), 'X-Request-Id: slow'));
      expect(expectError(raw, 408, 'request_timeout')['x-request-id']).toBe('slow');
    });

    it('logs what it refuses, with the id and without the target, and not what the service answers', async () => {
      const ask = (id: string, length: number): Promise<string> =>
        send(post('/v1/pets?secret', length, ' '.repeat(length), authorization(), `X-Request-Id: ${id}`));
      await ask('of-the-service', 100);
      await ask('of-the-proxy', 70_000);
      const lines = await proxy.logged('of-the-proxy');
      expect(lines.filter((line) => line.endsWith(' POST of-the-proxy'))).toEqual([
        expect.stringContaining(' http/<NOSRV> '),
      ]);
      expect(lines.join()).toContain(' 413 ');
      expect(lines.join()).not.toMatch(/of-the-service|secret/);
    });

    it('does not speak HTTP/2, whose connections carry many requests at a time', async () => {
      expect(await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 400 /);
    });

    // HAProxy before 3.2 answers malformed requests with its own text.
    it('answers malformed HTTP with an Error', async () => {
      requireHaproxy(3.2);
      expectError(await send(get('/v1/pets', 'no header')), 400, 'bad_request');
      await proxy.logged(' 400 ');
    });

    it('answers headers that do not come with an Error', async () => {
      requireHaproxy(3.2);
      expectError(await send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n'), 408, 'request_timeout');
    });

    const expectErrorOfService = (raw: string, code: ErrorCode): void => {
      const { status, body } = parseRaw(raw);
      expect({ status, code: (JSON.parse(body) as { code: string }).code }).toEqual({
        status: ERRORS[code].status,
        code,
      });
    };
  });

  it('passes no request on that is hidden in another one', async () => {
    const targets: string[] = [];
    // It takes what it can get: the proxy alone has to refuse.
    const replica = createServer({ insecureHTTPParser: true }, (request, response) => {
      targets.push(request.url ?? '');
      request.resume().on('end', () => response.end('{}'));
    });
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    const proxy = await startProxy(`http://127.0.0.1:${(replica.address() as AddressInfo).port}`);
    try {
      const sent = smuggling.map(([, wire]) => {
        const text = wire.replaceAll('{key}', 'x');
        const body = text.slice(text.indexOf('\r\n\r\n') + 4);
        return text.replace('{length}', String(body.length));
      });
      await Promise.all(
        sent.map((text) => sendAndClose(proxy.origin, text, () => delay(2_000)).catch(() => '')),
      );
      expect(sent.filter((text) => text.includes(SMUGGLED_TARGET)).length).toBeGreaterThan(5);
      expect(targets.filter((target) => target.startsWith('/v1/')).length).toBeGreaterThan(5);
      expect(targets.filter((target) => target.includes('smuggled'))).toEqual([]);
    } finally {
      await proxy.stop();
      replica.close();
      replica.closeAllConnections();
    }
  });

  // By reading: other addresses of a /48 need a network of their own, and the table of keys a socket of the administrator.
  it('counts a /48 of IPv6 as one address, everywhere, and keeps hashes of keys only', async () => {
    const configuration = await readFile(CONFIGURATION, 'utf8');
    expect(configuration).toContain('set-var(txn.key) http_auth_bearer,sha2(256) ');
    expect(configuration.match(/track-sc\d .*/g)).toEqual([
      'track-sc0 src,ipmask(32,48)',
      'track-sc1 src,ipmask(32,48)',
      'track-sc2 var(txn.key) table api_keys if known',
      'track-sc1 src,ipmask(32,48)',
      'track-sc2 var(txn.key) table api_keys if limited || { status 200:299 } !preflight',
      'track-sc1 src,ipmask(32,48)',
      'track-sc0 src,ipmask(32,48)',
    ]);
  });

  it.each([
    [7, 500],
    [20, 90],
  ])('has connections left when each of %d addresses opens %d', async (addresses, each) => {
    const proxy = await startProxy();
    const crowd = await openMany(proxy.origin, addresses, each);
    try {
      const ask = () => sendRaw(proxy.origin, get('/v1/pets'), '127.0.0.3');
      expect(parseRaw(await ask()).status).toBe(503);
      expect(crowd.received()).toBe(''); // no connection had to time out first
      for (const socket of crowd.sockets) socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
      await crowd.untilOpen(CONNECTIONS_KEPT);
      expect(parseRaw(await ask()).status).toBe(503);
    } finally {
      crowd.leave();
      await proxy.stop();
    }
  });

  it('leaves connections to those with few when hundreds of addresses take what they get', async () => {
    const proxy = await startProxy();
    const crowds: Awaited<ReturnType<typeof openMany>>[] = [];
    try {
      for (const [network, addresses, wanted, got] of [
        ['127.0.1', 50, 50, CONNECTIONS_OF_CROWDS / 50],
        // Fewer than there is room for: those that it is about to reject count as well.
        ['127.0.2', 25, 36, 32],
        ['127.0.3', 25, 12, 8],
        ['127.0.4', 250, 2, 1],
      ] as const) {
        const crowd = await openMany(proxy.origin, addresses, wanted, network);
        crowds.push(crowd);
        await crowd.untilOpen(addresses * got);
        if (got > 32) continue; // theirs would be closed with the answer
        for (const socket of crowd.sockets) socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
        await crowd.untilAnswered(addresses * got);
      }
      for (const crowd of crowds) expect(crowd.received()).not.toContain(' 408 '); // none had to time out first
    } finally {
      for (const crowd of crowds) crowd.leave();
      await proxy.stop();
    }
  });

  it('serves its metrics while four other addresses hold connections and say nothing', async () => {
    const proxy = await startProxy();
    const silent = await openMany(proxy.status, 4, 10);
    try {
      // Until then, those that it is about to reject count as well.
      await silent.untilOpen(STATUS_OF_FOUR);
      const metrics = await sendRaw(proxy.status, get('/metrics'), '127.0.0.3');
      expect(metrics).toContain('haproxy_process_start_time_seconds');
      expect(silent.received()).toBe(''); // none had to time out first, with 408
    } finally {
      silent.leave();
      await proxy.stop();
    }
  });

  it.each(['/v1/pets', '/docs/'])('answers 503 for %s when no replica is there', async (path) => {
    const proxy = await startProxy();
    try {
      const headers = expectError(await sendRaw(proxy.origin, get(path)), 503, 'service_unavailable');
      expect(headers).toMatchObject({
        'retry-after': '1',
        'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
      await proxy.logged(` GET ${headers['x-request-id']}`);
    } finally {
      await proxy.stop();
    }
  });

  describe('in front of a replica that is busy', () => {
    let replica: Awaited<ReturnType<typeof startMuteReplica>>;
    let proxy: Proxy;
    beforeEach(async () => {
      replica = await startMuteReplica();
      proxy = await startProxy(replica.origin);
    });
    afterEach(async () => {
      await proxy.stop();
      await replica.stop();
    });

    /** The id of a request that is refused. */
    const refusal = async (from: string, ...headers: string[]): Promise<string> => {
      const raw = await sendRaw(proxy.origin, get('/v1/held', ...headers), from);
      const answer = expectError(raw, 503, 'service_unavailable');
      expect(answer).toMatchObject({ 'retry-after': '1' });
      return answer['x-request-id']!;
    };
    /** Where refused requests have waited, by the log, which leaves out those that were refused at once. */
    const queuesOf = async (...ids: string[]): Promise<(string | undefined)[]> => {
      const end = randomUUID();
      await sendRaw(proxy.origin, get(`/${'x'.repeat(20_000)}`, `X-Request-Id: ${end}`));
      const lines = await proxy.logged(` ${end}`);
      return ids.map((id) => {
        const line = lines.find((each) => each.endsWith(` ${id}`));
        return line && / (\w+)\/<NOSRV> .* sQ/.exec(line)?.[1];
      });
    };
    const crowdOf = (from: (i: number) => string, header: (i: number) => string) =>
      Array.from({ length: CROWD }, (_, i) => refusal(from(i), header(i)));
    const bearer = (key: string | number): string => `Authorization: Bearer ${key}`;
    const statusFor = async (key: string, path: 'accepted' | 'missing' | 'refused'): Promise<number> =>
      parseRaw(await sendRaw(proxy.origin, get(`/v1/${path}`, bearer(key)), '127.0.0.3')).status;
    const becomeKnown = async (...keys: string[]): Promise<void> => {
      for (const key of keys) expect(await statusFor(key, 'accepted')).toBe(200);
    };
    const keys = Array.from({ length: CROWD }, (_, i) => `${i}`);
    const expectOnlyCrowdRefused = async (
      crowd: ReturnType<typeof refusal>[],
      key: string,
      queue = CLIENTS,
    ) => {
      const first = await Promise.race(crowd);
      const other = await refusal('127.0.0.3', bearer(key));
      expect(await queuesOf(first, other)).toEqual([undefined, queue]);
    };

    it.each([1, 5])(
      'refuses what %d network(s) ask too much at once, and lets others wait',
      async (networks) => {
        await becomeKnown('other', ...keys);
        await expectOnlyCrowdRefused(
          crowdOf((i) => `127.0.1.${1 + (i % networks)}`, bearer),
          'other',
        );
      },
    );

    it('refuses what a key asks too much at once, from however many networks, and lets others wait', async () => {
      await becomeKnown('one', 'other');
      // Few write the scheme alike.
      const scheme = (i: number): string =>
        'bearer'.replace(/./g, (letter, at: number) => ((i >> at) % 2 ? letter.toUpperCase() : letter));
      await expectOnlyCrowdRefused(
        crowdOf(
          (i) => `127.0.1.${1 + i}`,
          (i) => `Authorization: ${scheme(i)} one`,
        ),
        'other',
      );
    });

    it('lets a key that is alone fill the slots, and wait', async () => {
      await becomeKnown('one');
      const crowd = Array.from({ length: KEY_ALONE }, (_, i) => refusal(`127.0.1.${1 + i}`, bearer('one')));
      expect(await queuesOf(await Promise.race(crowd))).toEqual([CLIENTS]);
    });

    // 64 slots and 54 places are taken by then. With the forty, and the three, there is room for 24 more.
    it('lets a network have three at a time, but not four, while 20 others take what they get, and 40 more have come', async () => {
      await becomeKnown('other', ...keys);
      await Promise.race(
        crowdOf(
          (i) => `127.0.1.${1 + (i % 20)}`,
          (i) => bearer(i % 20),
        ),
      );
      const more = Array.from({ length: 40 }, (_, i) => refusal(`127.0.2.${1 + i}`, bearer(20 + i)));
      const some = Array.from({ length: 3 }, () => refusal('127.0.3.1', bearer('other')));
      await delay(QUEUE_MS / 4);
      const fourth = await refusal('127.0.3.1', bearer('other'));
      const waiting = await Promise.all([...more, ...some]);
      expect(await queuesOf(fourth, ...waiting)).toEqual([undefined, ...waiting.map(() => CLIENTS)]);
    });

    it('lets a key have three at a time, but not four, while another one of its network takes all that it gets', async () => {
      await becomeKnown('one', 'other');
      const at = '127.0.3.1';
      await Promise.race(
        crowdOf(
          () => at,
          () => bearer('one'),
        ),
      );
      const some = Array.from({ length: 3 }, () => refusal(at, bearer('other')));
      await delay(QUEUE_MS / 4);
      const fourth = await refusal(at, bearer('other'));
      const waiting = await Promise.all(some);
      expect(await queuesOf(fourth, ...waiting)).toEqual([undefined, ...waiting.map(() => CLIENTS)]);
    });

    it('has preflights of other networks wait among its clients while those of one network come without end', async () => {
      await becomeKnown('one', 'other');
      for (const [from, key] of [
        ['127.0.1.1', 'one'],
        ['127.0.3.1', 'other'],
      ] as const)
        await sendRaw(proxy.origin, get('/v1/accepted', bearer(key)), from);
      const preflight = async (from: string): Promise<string> => {
        const raw = await sendRaw(proxy.origin, get('/v1/held').replace('GET', 'OPTIONS'), from);
        return expectError(raw, 503, 'service_unavailable')['x-request-id']!;
      };
      const crowd = keys.map(() => preflight('127.0.1.1'));
      await Promise.race(crowd);
      expect(await queuesOf(await preflight('127.0.3.1'))).toEqual([CLIENTS]);
    });

    it('lets those whose key it knows wait while 200 networks with one key send preflights', async () => {
      await becomeKnown('one', 'other');
      const networks = keys.map((i) => `127.0.1.${1 + Number(i)}`);
      for (const from of networks) await sendRaw(proxy.origin, get('/v1/accepted', bearer('one')), from);
      const preflights = networks.map((from) =>
        sendRaw(proxy.origin, get('/v1/held').replace('GET', 'OPTIONS'), from),
      );
      await replica.holds(SLOTS + SLOTS_FOR_STRANGERS);
      const others = Array.from({ length: 10 }, () => refusal('127.0.3.1', bearer('other')));
      expect(new Set(await queuesOf(...(await Promise.all(others))))).toEqual(new Set([CLIENTS]));
      await Promise.all(preflights);
    });

    it.each([1, 5])('does the same to strangers from %d network(s)', async (networks) => {
      await expectOnlyCrowdRefused(
        crowdOf((i) => `127.0.1.${1 + (i % networks)}`, bearer),
        'other',
        STRANGERS,
      );
    });

    it('answers those whose key it knows while strangers from 200 networks take all that they get', async () => {
      await becomeKnown('one', 'ended');
      expect(await statusFor('without-success', 'missing')).toBe(404);
      const preflight = async (from: string, ...headers: string[]): Promise<number> => {
        const text = get('/v1/accepted', ...headers).replace('GET', 'OPTIONS');
        return parseRaw(await sendRaw(proxy.origin, text, from)).status;
      };
      expect(await preflight('127.0.0.4', bearer('made-up'))).toBe(200);
      await Promise.race(crowdOf((i) => `127.0.1.${1 + i}`, bearer));
      expect(await statusFor('new', 'accepted')).toBe(503);
      expect(await statusFor('made-up', 'accepted')).toBe(503);
      expect(await preflight('127.0.0.4')).toBe(503);
      expect(await statusFor('one', 'accepted')).toBe(200);
      expect(await preflight('127.0.0.3')).toBe(200);
      expect(await statusFor('without-success', 'accepted')).toBe(200);
      expect(await statusFor('ended', 'refused')).toBe(401);
      expect(await statusFor('ended', 'accepted')).toBe(503);
    });

    it('answers a stranger while 200 keys that it knows, from as many networks, take all that they get', async () => {
      await becomeKnown(...keys);
      const first = await Promise.race(crowdOf((i) => `127.0.1.${1 + i}`, bearer));
      expect(await queuesOf(first)).toEqual([undefined]);
      expect(await statusFor('0', 'accepted')).toBe(503);
      expect(await statusFor('new', 'accepted')).toBe(200);
    });
  });

  it('lets 100 requests a second of a network through outside /v1, and refuses the rest', async () => {
    const replica = await startMuteReplica();
    const proxy = await startProxy(replica.origin);
    try {
      const ready = 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n';
      const answers = await sendRaw(proxy.origin, ready.repeat(400) + get('/health/ready'), '127.0.0.2');
      const [refused = ''] = answers.slice(answers.indexOf('HTTP/1.1 429')).split(/(?<=})(?=HTTP)/);
      expectError(refused, 429, 'rate_limited');
      // Who goes on asking gets the 100 of the next seconds.
      const more = ready.repeat(50) + get('/health/ready');
      for (let passed = 0; passed < 150;)
        passed += (await sendRaw(proxy.origin, more, '127.0.0.2')).split('HTTP/1.1 200').length - 1;
      expect(parseRaw(await sendRaw(proxy.origin, get('/health/ready'), '127.0.0.3')).status).toBe(200);
    } finally {
      await proxy.stop();
      await replica.stop();
    }
  });

  describe('in front of a replica that does not answer', () => {
    let replica: Awaited<ReturnType<typeof startMuteReplica>>;
    let proxy: Proxy;
    beforeAll(async () => {
      replica = await startMuteReplica();
      proxy = await startProxy(replica.origin);
    });
    afterAll(async () => {
      await proxy.stop();
      await replica.stop();
    });

    /** Fills the buffer of the proxy with a request that does not end. More would be answered with a reset. */
    const fill = (start: string): string => start.padEnd(BUFFER_BYTES - 700, 'x');
    const chunks = 'Transfer-Encoding: chunked\r\n\r\n';

    const filling: [part: string, status: number, code: ErrorCode, start: string][] = [
      ['body', 413, 'payload_too_large', 'OPTIONS /v1/held HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n'],
      [
        'body outside /v1',
        413,
        'payload_too_large',
        'OPTIONS /docs HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n',
      ],
      ['body of one chunk', 413, 'payload_too_large', `GET /v1/held HTTP/1.1\r\n${chunks}ffffff\r\n`],
      [
        'body of chunks',
        413,
        'payload_too_large',
        `POST /v1/held HTTP/1.1\r\n${chunks}${CHUNK.repeat(70)}ea60\r\n`,
      ],
      ['method', 400, 'bad_request', `${'M'.repeat(80_000)} /v1/held HTTP/1.1\r\n${chunks}ea60\r\n`],
      ['target', 414, 'uri_too_long', `POST /v1/held?${'x'.repeat(80_000)} HTTP/1.1\r\n${chunks}ea60\r\n`],
      ['headers', 431, 'headers_too_large', `POST /v1/held HTTP/1.1\r\n${FORGED}\r\n${chunks}ea60\r\n`],
    ];
    // HAProxy 3 reads on for 10 s, so all are sent at once.
    let refusals: Promise<string>[];
    beforeAll(() => {
      refusals = filling.map(([, , , start]) => sendRaw(proxy.origin, fill(start)));
      for (const refusal of refusals) refusal.catch(() => {}); // until its test awaits it
    });
    it.each(filling.map(([part, status, code], i) => ({ part, status, code, i })))(
      'refuses a request whose $part would fill its buffer',
      async ({ status, code, i }) => {
        expectError(await refusals[i]!, status, code);
      },
    );

    it('answers 502 where the connection was lost', async () => {
      const raw = await sendRaw(proxy.origin, post('/v1/dropped', 2, '{}', 'X-Request-Id: lost'));
      expect(expectError(raw, 502, 'service_unavailable')).toMatchObject({
        'retry-after': '1',
        'x-request-id': 'lost',
      });
    });

    it('answers 504 in time, and at once 429 to an address that asks for too many documents', async () => {
      const held = sendAndClose(proxy.origin, get('/v1/held'), () => replica.holds(1));
      const asked = Array.from({ length: DOCUMENTS_PER_ADDRESS + 1 }, () =>
        sendRaw(proxy.origin, get('/held')),
      );
      const first = await Promise.race(asked);
      expect(expectError(first, 429, 'rate_limited')).toMatchObject({ 'retry-after': '1' });
      expect(expectError(await held, 504, 'service_unavailable')).toMatchObject({ 'retry-after': '1' });
      const others = (await Promise.all(asked)).filter((answer) => answer !== first);
      for (const answer of others) expectError(answer, 504, 'service_unavailable');
    });
  });
});
