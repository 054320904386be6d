import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';
import { RedisConnection } from './redis-connection.js';

const hangUp = (socket: Socket): void => void socket.destroy();
const refuse = (socket: Socket): void =>
  void socket.on('data', () => socket.write('-WRONGPASS invalid password\r\n'));

const lines: string[] = [];
let sleptMs = 0;
let greet = hangUp;
const server = createServer((socket) => greet(socket.on('error', () => {})));
let redis: RedisConnection;

beforeEach(async () => {
  lines.length = 0;
  greet = hangUp;
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + sleptMs);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: string) => void lines.push(line));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  redis = await RedisConnection.to(`redis://:secret@127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  redis.close();
  await delay(1_000); // the client has begun to wait for its next attempt
  jest.restoreAllMocks();
  await new Promise((closed) => server.close(closed));
});

it('logs a reason that replaced the first one, once it has held for five seconds', async () => {
  const failures: string[] = [];
  redis.client.on('error', ({ message }: Error) => failures.push(message));
  const untilRefused = async (): Promise<void> => {
    const seen = failures.length;
    while (!failures.slice(seen).some((message) => message.startsWith('WRONGPASS'))) await delay(10);
  };
  while (failures.length === 0) await delay(10);
  greet = refuse;
  await untilRefused();
  await untilRefused();
  const away = expect.stringMatching(/^Redis: Socket closed unexpectedly; limits hold for this process/);
  expect(lines).toEqual([away]);
  sleptMs = 5_000;
  await untilRefused();
  await untilRefused();
  expect(lines).toEqual([away, 'Redis is still away: WRONGPASS invalid password']);
});

it('gives up a connection whose first answer does not end', async () => {
  const ended = new Promise<void>((resolve) => {
    greet = (socket) => {
      const sending = setInterval(() => socket.write('+' + 'x'.repeat(1_000)), 50);
      socket.on('close', () => {
        clearInterval(sending);
        resolve();
      });
    };
  });
  await ended;
  expect(lines.at(-1)).toMatch(/not ready within/);
});

it('leaves it to the client to connect again when a connection is lost before it was ready', async () => {
  const destroy = jest.spyOn(redis.client, 'destroy');
  greet = (socket) => {
    socket.destroy();
    server.close();
  };
  while (server.listening) await delay(10);
  await delay(2_200); // longer than a connection may take to become ready
  expect(destroy).not.toHaveBeenCalled();
});

/** Takes the greeting of the client, and refuses what it asks afterwards. */
const refuseCommands = (refusal: string) => (socket: Socket) =>
  void socket.on('data', (data) => {
    for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
      socket.write(['SET', 'PING'].includes(command) ? `-${refusal}\r\n` : '+OK\r\n');
  });

it('says that a Redis Cluster is not supported', async () => {
  greet = refuseCommands('MOVED 8169 127.0.0.1:7001');
  while (!lines.some((line) => line.includes('refuses'))) await delay(10);
  expect(lines.at(-1)).toBe(
    'Redis refuses commands: it is a node of a Redis Cluster, which is not supported; limits hold for this process meanwhile',
  );
});

it('has this process count while what answers is not Redis', async () => {
  greet = (socket) =>
    void socket.on('data', (data) => {
      for (const _ of data.toString().matchAll(/\*\d+\r\n\$\d+/g)) socket.write('+OK\r\n');
    });
  while (!redis.isReady) await delay(10);
  const limiter = new RateLimiter('requests', 2, redis);
  const allowances = [];
  for (let i = 0; i < 3; i++) allowances.push(await limiter.take('a'));
  expect(allowances.map((one) => [one?.remaining, one?.resetSeconds])).toEqual([
    [1, 60],
    [0, 60],
    [0, 60],
  ]);
  expect(lines.at(-1)).toBe(
    'Redis refuses commands: it answers without counting; limits hold for this process meanwhile',
  );
});

it('says once that Redis loads its data, and not for each ping', async () => {
  let pings = 0;
  greet = (socket) => {
    refuseCommands('LOADING Redis is loading the dataset in memory')(socket);
    socket.on('data', (data) => (pings += data.includes('PING') ? 1 : 0));
  };
  while (pings < 3) await delay(10);
  expect(lines.filter((line) => line.includes('LOADING'))).toHaveLength(1);
});

it('keeps a bounded number of commands for a Redis that does not answer, and refuses the others at once', async () => {
  let isSilent = false;
  let received = '';
  greet = (socket) =>
    void socket.on('data', (data) => {
      if (isSilent) received += data.toString();
      else for (const _ of data.toString().matchAll(/\*\d+\r\n/g)) socket.write('+OK\r\n');
    });
  while (!redis.isReady) await delay(10);
  await redis.run(() => redis.client.set('one', '')); // and with it what was sent before
  isSilent = true;
  let refusedAtOnce = 0;
  const commands = Array.from({ length: 3_000 }, () =>
    redis.run(() => redis.client.set('many', '')).catch(() => void refusedAtOnce++),
  );
  await new Promise(setImmediate);
  expect(redis.isReady).toBe(false);
  expect(refusedAtOnce).toBeGreaterThanOrEqual(2_000);
  await Promise.all(commands); // those that were sent fail when the connection is given up
  expect(received.split('many').length - 1).toBeLessThanOrEqual(1_000);
});

it('greets Redis at an IPv6 address', async () => {
  const greeted = new Promise<void>((resolve) => {
    greet = (socket) => void socket.on('data', () => resolve());
  });
  redis.close();
  server.close();
  await once(server.listen(0, '::1'), 'listening');
  redis = await RedisConnection.to(`redis://[::1]:${(server.address() as AddressInfo).port}`);
  await expect(greeted).resolves.toBeUndefined();
});
