import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { answerMalformedHttp } from './malformed-http.js';

it('answers requests that are late together a few at a time, and all of them', async () => {
  const instance = { log: pino({ level: 'silent' }) } as unknown as FastifyInstance;
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const sockets = Array.from({ length: 300 }, () =>
    Object.assign(new PassThrough(), { destroySoon: () => {} }),
  );
  for (const socket of sockets) answerMalformedHttp.call(instance, late, socket as unknown as Socket);
  const answered = (): number => sockets.filter(({ writableEnded }) => writableEnded).length;
  for (let before = 0, now = 0; before < sockets.length; before = now) {
    await nextTurn();
    now = answered();
    expect(now).toBeGreaterThan(before);
    expect(now - before).toBeLessThanOrEqual(100);
  }
  expect(String(sockets.at(-1)?.read())).toMatch(/^HTTP\/1\.1 408 [^]+"request_timeout"/);
});
