import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { type Cluster, startCluster, startStandby } from '../../scripts/support/postgres-cluster.mjs';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { StatementQueues } from '../../src/database/batching/statement-queues.js';
import { Database } from '../../src/database/database.js';
import { Metrics } from '../../src/observability/metrics.js';
import type { Standby } from '../../src/database/standbys/standby.js';
import { type Answer, call } from './support/client.js';
import { binaries, connectionTo, describeWithServers } from './support/own-servers.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { Wire } from './support/wire.js';

const log: string[] = [];

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await holds()) return;
    await delay(50);
  }
  throw new Error(`Timed out waiting until ${what}: ${log.join('')}`);
}

async function run(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A replica of the service. */
class Replica {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly origin: string,
    readonly key: string,
  ) {}

  static async start(url: string, standbyUrls: string[], key?: string, staleReads = false): Promise<Replica> {
    const app = await createApp(new Config(), {
      connection: { ...connectionTo(url), standbyUrls, staleReads },
      logger: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    const issued = key ?? (await app.get(KeysService).issue({ name: 'standbys' })).key;
    return new Replica(app, await app.getUrl(), issued);
  }

  get standby(): Standby {
    return this.app.get(StatementQueues).standbys!.standbys[0]!;
  }

  /** The value of a metric. */
  async metric(name: string): Promise<number> {
    const text = await this.app.get(Metrics).registry.metrics();
    return Number(new RegExp(`^${name}(?:\\{standby="127.0.0.1:\\d+"\\})? (\\d+)$`, 'm').exec(text)?.[1]);
  }

  usesStandby(): Promise<void> {
    return until('reads go to the standby', () => this.standby.isAvailable);
  }

  get(path: string) {
    return call(this.origin, 'GET', path, { headers: { authorization: `Bearer ${this.key}` } });
  }

  create(name: string, headers: Record<string, string> = {}) {
    return call(this.origin, 'POST', '/v1/pets', {
      headers: { authorization: `Bearer ${this.key}`, ...headers },
      body: { name, categoryId: 1 },
    });
  }

  async added(): Promise<{ id: number }> {
    const answer = await this.create(randomUUID());
    if (answer.status !== 201) throw new Error(`Adding an animal: ${answer.text}`);
    return answer.json as { id: number };
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}

describeWithServers('Reads at a standby', () => {
  let primary: Cluster;
  let standby: Cluster;
  let wire: Wire;
  let near: Wire;
  let writer: Replica;
  let reader: Replica;

  beforeAll(async () => {
    primary = await startCluster(binaries!);
    standby = await startStandby(binaries!, primary);
    wire = await Wire.to(standby.url);
    near = await Wire.to(primary.url);
    writer = await Replica.start(primary.url, []);
    reader = await Replica.start(near.url, [wire.url], writer.key);
  }, 60_000);
  afterEach(() => {
    wire.mend();
    near.mend();
  });
  afterAll(async () => {
    for (const replica of [reader, writer]) await replica?.stop();
    for (const each of [wire, near]) await each?.close();
    for (const cluster of [standby, primary]) await cluster?.stop();
  });

  it('answers pages and single reads', async () => {
    const { id } = await writer.added();
    await until('the standby has answered both', async () => {
      await reader.usesStandby();
      const { reads } = reader.standby;
      expectAnswer(await reader.get(`/v1/pets/${id}`), 200, expect.objectContaining({ id }));
      expectAnswer(await reader.get(`/v1/pets?ids=${id}`), 200, [expect.objectContaining({ id })]);
      return reader.standby.reads === reads + 2;
    });
    expect(log.join('')).toMatch(/Reads go to the standby 127\.0\.0\.1:\d+\./);
  });

  it('sees what any replica has acknowledged before, at once', async () => {
    await reader.usesStandby();
    const reads = await reader.metric('database_standby_reads_total');
    for (let round = 0; round < 100; round++) {
      if (round % 10 === 0) await reader.usesStandby();
      const { id } = await writer.added();
      const [one, page] = await Promise.all([
        reader.get(`/v1/pets/${id}`),
        reader.get(`/v1/pets?after=${id - 1}`),
      ]);
      expectAnswer(one, 200, expect.objectContaining({ id }));
      expectAnswer(page, 200, [expect.objectContaining({ id })]);
    }
    expect(await reader.metric('database_standby_reads_total')).toBeGreaterThan(reads);
  });

  it('sees it even if the primary acknowledges before it has written its log', async () => {
    const configure = async (change: string): Promise<void> => {
      await run(primary.url, `ALTER SYSTEM ${change}`);
      await run(primary.url, 'SELECT pg_reload_conf()');
    };
    const early = (url: string): string => `${url}?options=-c%20synchronous_commit%3Doff`;
    const replicas = [
      await Replica.start(early(primary.url), [], writer.key),
      await Replica.start(early(near.url), [wire.url], writer.key),
    ] as const;
    try {
      const [earlyWriter, earlyReader] = replicas;
      await earlyReader.usesStandby();
      await configure("SET wal_writer_delay = '10s'");
      await earlyReader.usesStandby();
      const { id } = await earlyWriter.added();
      expectAnswer(await earlyReader.get(`/v1/pets/${id}`), 200, expect.objectContaining({ id }));
    } finally {
      for (const replica of replicas) await replica.stop();
      await configure('RESET ALL');
    }
  });

  it('is replaced by the primary while it lags, and comes back', async () => {
    await reader.usesStandby();
    await run(standby.url, 'SELECT pg_wal_replay_pause()');
    const { id } = await writer.added();
    const fallbacks = await reader.metric('database_standby_fallbacks_total');
    expectAnswer(await reader.get(`/v1/pets/${id}`), 200, expect.objectContaining({ id }));
    expect(await reader.metric('database_standby_fallbacks_total')).toBe(fallbacks + 1);
    expect(await reader.metric('database_standby_up')).toBe(0);
    await until('its lag shows', async () => (await reader.metric('database_standby_lag_bytes')) > 0);
    expect(log.join('')).toMatch(/The standby 127\.0\.0\.1:\d+ is left out: it /);
    await run(standby.url, 'SELECT pg_wal_replay_resume()');
    await reader.usesStandby();
    expect(await reader.metric('database_standby_up')).toBe(1);
    expect(log.join('')).toMatch(/Reads go to the standby 127\.0\.0\.1:\d+ again, after/);
  });

  it('is replaced by the primary while it is silent or gone, and comes back', async () => {
    const { id } = await writer.added();
    for (const isGone of [false, true]) {
      await reader.usesStandby();
      if (isGone) await wire.cut();
      else wire.freeze();
      const answers = await Promise.all(Array.from({ length: 40 }, () => reader.get(`/v1/pets/${id}`)));
      for (const answer of answers) expectAnswer(answer, 200, expect.objectContaining({ id }));
      await until('it is left out', () => !reader.standby.isAvailable);
      expect((await reader.get('/v1/pets')).status).toBe(200);
      if (isGone) await wire.join();
      else wire.mend();
    }
    await reader.usesStandby();
  });

  it('answers nothing while the primary is away', async () => {
    await reader.usesStandby();
    near.freeze();
    await until('reads are refused', async () => (await reader.get('/v1/pets')).status === 503);
    expectError(await reader.get('/v1/pets'), 'service_unavailable');
    near.mend();
    await until('reads are answered', async () => (await reader.get('/v1/pets')).status === 200);
    await reader.usesStandby();
    expect((await reader.get('/v1/pets')).status).toBe(200);
  });

  it('answers while the primary is away, if stale reads are allowed, and says so', async () => {
    const { id } = await writer.added();
    const bold = await Replica.start(near.url, [wire.url], writer.key, true);
    try {
      await bold.usesStandby();
      const fresh = await bold.get('/v1/pets');
      expectAnswer(fresh, 200, expect.any(Array));
      expect(fresh.headers).not.toHaveProperty('stale-read');
      near.freeze();
      await delay(2_100); // no key is cached any more
      for (const [path, status] of [
        [`/v1/pets/${id}`, 200],
        ['/v1/pets', 200],
        ['/v1/pets/999999', 404],
      ] as const) {
        await until(`${path} is answered`, async () => (await bold.get(path)).status === status);
        expect((await bold.get(path)).headers['stale-read']).toBe('true');
      }
      expectAnswer(await bold.get('/health/ready'), 200, { status: 'ok' });
      expectError(await bold.create('refused'), 'service_unavailable');
      wire.freeze();
      await until('the standby is left out', () => !bold.standby.isAvailable);
      expectError(await bold.get('/v1/pets'), 'service_unavailable');
      expect((await bold.get('/health/ready')).status).toBe(503);
      wire.mend();
      await until('it answers again', async () => (await bold.get('/v1/pets')).status === 200);
      near.mend();
      await until('answers are fresh', async () => {
        const { status, headers } = await bold.get('/v1/pets');
        return status === 200 && headers['stale-read'] === undefined;
      });
    } finally {
      await bold.stop();
    }
  });

  it('answers no stale reads if it lagged for long before', async () => {
    const bold = await Replica.start(near.url, [wire.url], writer.key, true);
    try {
      await bold.usesStandby();
      await run(standby.url, 'SELECT pg_wal_replay_pause()');
      await writer.added();
      expect((await bold.get('/v1/pets')).status).toBe(200);
      await delay(3_000); // it is tried again meanwhile
      near.freeze();
      await until('reads are refused', async () => (await bold.get('/v1/pets')).status === 503);
      await delay(1_500);
      expectError(await bold.get('/v1/pets'), 'service_unavailable');
    } finally {
      near.mend();
      await run(standby.url, 'SELECT pg_wal_replay_resume()');
      await bold.stop();
    }
  });

  it('is asked neither for keys nor for recorded answers', async () => {
    await reader.usesStandby();
    await delay(2_100); // the key is no longer cached
    const { reads } = reader.standby;
    const headers = { 'idempotency-key': randomUUID() };
    const first = await reader.create('once', headers);
    const again = await reader.create('once', headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.text).toBe(first.text);
    expect(reader.standby.reads).toBe(reads);
  });

  it('never come from a database that was renamed to make room for another', async () => {
    const shopOf = ({ url }: Cluster) => Object.assign(new URL(url), { pathname: '/shop' }).href;
    await run(primary.url, 'CREATE DATABASE shop');
    const first = await Replica.start(shopOf(primary), []);
    await first.stop();
    await run(primary.url, 'CREATE DATABASE restored TEMPLATE shop');
    const replica = await Replica.start(shopOf(primary), [shopOf(standby)], first.key);
    try {
      const { id } = await replica.added();
      await replica.usesStandby();
      const read = () => Promise.all(Array.from({ length: 40 }, () => replica.get(`/v1/pets/${id}`)));
      await read();
      for (const step of [
        'ALTER DATABASE shop ALLOW_CONNECTIONS false',
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'shop'",
        'ALTER DATABASE shop RENAME TO former_shop',
        'ALTER DATABASE restored RENAME TO shop',
      ])
        await run(primary.url, step);
      await until('there is another', async () => {
        const { json } = await replica.create('latter');
        return ((json as { id?: number }).id ?? 0) >= id;
      });
      const answers: Answer[] = [];
      for (let round = 0; round < 5; round++) answers.push(...(await read()));
      // A busy machine may be too slow now and then.
      const names = answers.map(({ status, json }) =>
        status === 503 ? 'latter' : (json as { name?: string }).name,
      );
      expect(new Set(names)).toEqual(new Set(['latter']));
      expect(answers.map(({ status }) => status)).toContain(200);
    } finally {
      await replica.stop();
    }
  }, 60_000);

  it('ends when it is promoted', async () => {
    await reader.usesStandby();
    await standby.pgCtl('promote');
    await run(standby.url, "INSERT INTO pets (name, category_id) VALUES ('elsewhere', 1)");
    await until('it is left out', () => !reader.standby.isAvailable);
    expect(log.join('')).toContain('is left out: it is no standby');
    const { id } = await writer.added();
    expectAnswer(await reader.get(`/v1/pets?after=${id - 1}`), 200, [expect.objectContaining({ id })]);
  });
});

describeWithServers('Reads at a standby that was ahead of the one that was promoted', () => {
  it('go to the primary', async () => {
    const old = await startCluster(binaries!);
    const behind = await startStandby(binaries!, old);
    const ahead = await startStandby(binaries!, old);
    let replica: Replica | undefined;
    try {
      await run(old.url, 'CREATE TABLE noise AS SELECT 1 AS a');
      await until('both follow', async () => {
        const positions = [behind, ahead].map(async ({ url }) => {
          const { rows } = await run(url, "SELECT to_regclass('noise') IS NOT NULL AS follows");
          return (rows[0] as { follows: boolean }).follows;
        });
        return !(await Promise.all(positions)).includes(false);
      });
      await behind.pgCtl('stop', '-m', 'fast');
      await run(old.url, 'INSERT INTO noise SELECT generate_series(1, 100000)');
      await until('it is ahead', async () => {
        const { rows } = await run(ahead.url, 'SELECT count(*)::int AS count FROM noise');
        return (rows[0] as { count: number }).count === 100_001;
      });
      await old.pgCtl('stop', '-m', 'immediate');
      await behind.pgCtl('start');
      await behind.pgCtl('promote');

      replica = await Replica.start(behind.url, [ahead.url]);
      await until('it is left out', () => log.join('').includes('it does not follow the primary'));
      const { id } = await replica.added();
      expectAnswer(await replica.get(`/v1/pets/${id}`), 200, expect.objectContaining({ id }));
      expect(replica.standby.reads).toBe(0);
    } finally {
      await replica?.stop();
      for (const cluster of [ahead, behind, old]) await cluster.stop();
    }
  }, 60_000);
});
