import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { parse } from 'yaml';
import { createApp } from '../../src/app.js';
import { Config } from '../../src/common/config/config.js';
import { describeInside } from './support/deployment.js';
import { startService } from './support/service.js';

interface Container {
  readonly networks?: string[];
  readonly environment?: Record<string, string>;
  readonly mem_limit?: string;
  readonly logging?: { readonly options?: Record<string, string> };
  readonly healthcheck?: { readonly test: string[] };
  readonly depends_on?: string[] | Record<string, { condition: string }>;
}

it('keeps etcd and Patroni from all containers but HAProxy', async () => {
  const { services, networks } = parse(await readFile('docker/ha/compose.yaml', 'utf8'), { merge: true }) as {
    services: Record<string, Container>;
    networks: Record<string, { internal?: boolean } | null>;
  };
  const seenBy = Object.entries(services).filter(([, container]) => container.networks?.includes('database'));
  expect(seenBy.map(([name]) => name.replace(/-\d$/, ''))).toEqual(
    'proxy etcd etcd etcd node node node'.split(' '),
  );
  expect(services['node-1']?.networks).toEqual(['database']);
  expect(networks['database']).toEqual({ internal: true });
});

describe.each(['docker/compose.yaml', 'docker/ha/compose.yaml'])('%s', (file) => {
  let containers: Record<string, Container>;
  beforeAll(async () => {
    const { services } = parse(await readFile(file, 'utf8'), { merge: true }) as {
      services: Record<string, Container>;
    };
    containers = services;
  });

  it('limits the memory and the log of every container', () => {
    for (const [name, { mem_limit, logging }] of Object.entries(containers)) {
      expect({ name, mem_limit, logging }).toEqual({
        name,
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
      });
    }
  });

  it('starts the proxy without waiting for a replica, so that clients always get an answer', () => {
    expect(containers['proxy']?.depends_on ?? []).toEqual(expect.any(Array));
  });

  it('has a password for each role, and shows the service only its own', () => {
    const passwordIn = (text?: string) => /\$\{(\w+_PASSWORD)/.exec(text ?? '')?.[1];
    const { 'app-1': app, 'app-2': _, ...others } = containers;
    expect(Object.values(app?.environment ?? {}).flatMap((value) => passwordIn(value) ?? [])).toEqual([
      'ANIMAL_STORE_PASSWORD',
    ]);
    for (const { environment = {} } of Object.values(others)) {
      const used = Object.values(environment).flatMap((value) => passwordIn(value) ?? []);
      expect(used).toEqual([...new Set(used)]);
    }
  });

  it('gives HAProxy the variables of its configuration, with docker/tls.yaml, too', async () => {
    const tls = parse(await readFile('docker/tls.yaml', 'utf8'), { merge: true }) as {
      services: Record<string, Container>;
    };
    expect(Object.keys(containers)).toEqual(expect.arrayContaining(Object.keys(tls.services)));
    const configuration =
      (await readFile('docker/haproxy.cfg', 'utf8')) + (await readFile('docker/ha/database.cfg', 'utf8'));
    const given = { ...containers['proxy']?.environment, ...tls.services['proxy']?.environment };
    for (const name of Object.keys(given)) expect(configuration).toContain(`"$${name}"`);
  });

  describeInside('its health check of a replica', () => {
    const stops: (() => Promise<void>)[] = [];
    afterAll(() => Promise.all(stops.map((stop) => stop())));

    const check = async (origin: string): Promise<unknown> => {
      const [kind, program, ...args] = containers['app-1']?.healthcheck?.test ?? [];
      expect([kind, program]).toEqual(['CMD', 'node']);
      const child = spawn(process.execPath, args, { env: { PORT: new URL(origin).port } });
      const [code] = (await once(child, 'exit')) as unknown[];
      return code;
    };

    it('passes when the replica is ready', async () => {
      const service = await startService();
      stops.push(service.stop);
      expect(await check(service.origin)).toBe(0);
    });

    it('fails while its database is away, so that an upgrade stops there', async () => {
      const config = Object.assign(new Config(), { databaseUrl: 'postgres://a:b@127.0.0.1:1/nothing' });
      const app = await createApp(config, { logger: pino({ level: 'silent' }) });
      stops.push(() => app.close());
      await app.listen(0, '127.0.0.1');
      expect(await check(await app.getUrl())).toBe(1);
    });
  });
});
