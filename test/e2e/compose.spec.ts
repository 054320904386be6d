import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
  readonly extends?: { readonly file: string; readonly service: string };
  readonly profiles?: string[];
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly expose?: string[];
}

interface Deployment {
  readonly services: Record<string, Container>;
  readonly networks: Record<string, { internal?: boolean } | null>;
  readonly volumes: Record<string, unknown>;
}

interface ScrapeConfig {
  readonly static_configs?: { readonly targets: string[] }[];
  readonly dns_sd_configs?: { readonly names: string[] }[];
}

const readYaml = async (file: string) => parse(await readFile(file, 'utf8'), { merge: true }) as unknown;

/** A compose file with what its containers extend. */
async function readCompose(file: string): Promise<Deployment> {
  const deployment = (await readYaml(file)) as Deployment;
  for (const [name, container] of Object.entries(deployment.services)) {
    if (!container.extends) continue;
    const other = (await readYaml(join(dirname(file), container.extends.file))) as Deployment;
    deployment.services[name] = { ...other.services[container.extends.service], ...container };
  }
  return deployment;
}

describe('docker/ha/compose.yaml', () => {
  it.each([
    ['etcd', 'etcd etcd etcd node node node'],
    ['PostgreSQL and Patroni', 'proxy node node node prometheus'],
  ])('keeps %s from all containers but %s', async (name, containers) => {
    const { services, networks } = await readCompose('docker/ha/compose.yaml');
    const network = name === 'etcd' ? 'etcd' : 'database';
    const seenBy = Object.entries(services).filter(([, container]) => container.networks?.includes(network));
    expect(seenBy.map(([each]) => each.replace(/-\d$/, '')).join(' ')).toBe(containers);
    expect(networks[network]).toEqual({ internal: true });
  });
});

describe.each(['docker/compose.yaml', 'docker/ha/compose.yaml'])('%s', (file) => {
  let containers: Record<string, Container>;
  let volumes: Record<string, unknown>;
  beforeAll(async () => {
    ({ services: containers, volumes } = await readCompose(file));
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
    const shown = Object.values(app?.environment ?? {}).flatMap((value) => passwordIn(value) ?? []);
    expect([...new Set(shown)]).toEqual(['ANIMAL_STORE_PASSWORD']);
    for (const { environment = {} } of Object.values(others)) {
      const used = Object.values(environment).flatMap((value) => passwordIn(value) ?? []);
      expect(used).toEqual([...new Set(used)]);
    }
  });

  it('gives HAProxy the variables of its configuration, with docker/tls.yaml, too', async () => {
    const tls = await readCompose('docker/tls.yaml');
    expect(Object.keys(containers)).toEqual(expect.arrayContaining(Object.keys(tls.services)));
    const configuration =
      (await readFile('docker/haproxy.cfg', 'utf8')) + (await readFile('docker/ha/database.cfg', 'utf8'));
    const given = { ...containers['proxy']?.environment, ...tls.services['proxy']?.environment };
    for (const name of Object.keys(given)) expect(configuration).toContain(`"$${name}"`);
  });

  describe('its profile "monitoring"', () => {
    const networksOf = (name: string): string[] => containers[name]?.networks ?? ['default'];

    it('adds Prometheus and Grafana, for this machine only', () => {
      const added = Object.entries(containers).filter(([, { profiles }]) => profiles);
      expect(added.map(([name, { profiles, ports }]) => ({ name, profiles, ports }))).toEqual([
        { name: 'prometheus', profiles: ['monitoring'], ports: ['127.0.0.1:9090:9090'] },
        { name: 'grafana', profiles: ['monitoring'], ports: ['127.0.0.1:3001:3000'] },
      ]);
      const mounted = added.flatMap(([, container]) => container.volumes ?? []);
      expect(mounted.filter((volume) => !volume.startsWith('.'))).toEqual(['prometheus:/prometheus']);
      expect(volumes).toHaveProperty('prometheus');
      for (const volume of mounted.filter((each) => each.startsWith('.'))) {
        expect(existsSync(join('docker', volume.split(':')[0]!))).toBe(true);
      }
    });

    it('lets Prometheus reach all that it scrapes, and Grafana reach Prometheus', async () => {
      const { scrape_configs: jobs } = (await readYaml('docker/prometheus/prometheus.yml')) as {
        scrape_configs: ScrapeConfig[];
      };
      const targets = jobs.flatMap(({ static_configs = [] }) =>
        static_configs.flatMap((each) => each.targets),
      );
      const names = jobs.flatMap(({ dns_sd_configs = [] }) => dns_sd_configs.flatMap((each) => each.names));
      for (const target of targets) {
        const [name = '', port] = target.split(':');
        expect({ name, expose: containers[name]?.expose }).toEqual({
          name,
          expose: expect.arrayContaining([port]),
        });
      }
      // Names that are not here are left out.
      const scraped = [...targets.map((target) => target.split(':')[0]!), ...names];
      for (const name of scraped.filter((each) => each in containers)) {
        const shared = networksOf(name).filter((network) => networksOf('prometheus').includes(network));
        expect({ name, reachable: shared.length > 0 }).toEqual({ name, reachable: true });
      }
      expect(names.filter((name) => name in containers)).toHaveLength(file.includes('ha') ? 3 : 0);
      expect(networksOf('prometheus')).toEqual(expect.arrayContaining(networksOf('grafana')));
    });
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
