import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { LoadMonitor } from './load-monitor.js';
import { refuseOverload } from './overload.js';

const CLIENTS = 100;
/** All together take far longer than requests may be late. */
const WORK_MS = 40;

describe('A network whose requests wait for too long', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let instance: FastifyInstance;
  let load: LoadMonitor;

  beforeEach(async () => {
    load = new LoadMonitor(2 * CLIENTS);
    instance = fastify();
    instance.get('/ready', () => 'ready');
    instance.get('/v1/work', () => {
      for (const until = performance.now() + WORK_MS; performance.now() < until;);
      return 'done';
    });
    refuseOverload(instance, load, []);
    load.tick = () => {}; // the lag of the event loop is another reason
    await instance.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    agent.destroy();
    await instance.close();
  });

  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { port } = instance.server.address() as AddressInfo;
      get({ port, path, agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });
  const statuses = (paths: string[]) => Promise.all(paths.map(statusOf));

  it('has the rest of them refused, but for health checks', async () => {
    await statuses(Array<string>(CLIENTS).fill('/ready')); // all connections are open
    const [work, ready] = await Promise.all([
      statuses(Array<string>(CLIENTS - 10).fill('/v1/work')),
      statuses(Array<string>(10).fill('/ready')),
    ]);
    const refused = work.filter((status) => status === 503).length;
    expect(work).toContain(200);
    expect(refused).toBeGreaterThan(10);
    expect(ready).toEqual(Array(10).fill(200));
    expect(load.refused).toBe(refused);
  });
});
