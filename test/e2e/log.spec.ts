import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { freePort } from './support/free-port.js';
import { Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';

const onLinux = existsSync('/dev/full') ? describe : describe.skip;

describeInside('The log', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const linesOf = async (send: () => Promise<unknown>): Promise<Record<string, unknown>[]> => {
    const from = service.log.length;
    await send();
    const lines = service.log.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
    return lines.filter(({ msg }) => msg === 'request');
  };

  it('has one line for each request: method, route, status, code, time and the name of the key', async () => {
    const headers = { 'x-request-id': 'find-me' };
    const [line] = await linesOf(() => service.get('/v1/pets?limit=0', { headers }));
    const request = { level: 30, requestId: 'find-me', method: 'GET', route: '/v1/pets', key: 'tests' };
    expect(line).toMatchObject({ ...request, status: 400, code: 'invalid_parameter', ms: expect.any(Number) });
  });

  it('has probes at debug', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect(await linesOf(() => service.call('GET', path))).toEqual([expect.objectContaining({ level: 20 })]);
  });

  it('has no keys, no bodies and no queries', async () => {
    await service.post('/v1/pets', { name: 'Nobody sees this', categoryId: 1 });
    await service.get('/v1/pets?secret=hidden');
    await service.call('GET', `/v1/pets?access_token=${service.key}`);
    const all = service.log.join('');
    for (const secret of [service.key.slice('pets_test_'.length, -6), 'Nobody sees', 'hidden'])
      expect(all).not.toContain(secret);
  });

  onLinux('of which nothing can be written, on a full disk,', () => {
    it('stops nothing', async () => {
      const port = await freePort();
      const full = openSync('/dev/full', 'w');
      const programs = new Programs({ DATABASE_URL: service.database.url, SHUTDOWN_DRAIN_MS: '0' });
      const { ended, signal } = programs.launch('main.js', [], { PORT: `${port}` }, full);
      const ready = () => call(`http://127.0.0.1:${port}`, 'GET', '/health/ready').catch(() => undefined);
      while ((await ready())?.status !== 200);
      for (let i = 0; i < 100; i++) expect((await ready())?.status).toBe(200);
      signal('SIGTERM');
      expect((await ended).code).toBe(0);
      closeSync(full);
      await programs.stop();
    });
  });
});
