// A real Prometheus with docker/prometheus, in fast motion, scrapes two replicas and HAProxy through a bad week.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { freePort } from '../scripts/support/free-port.mjs';
import { require, root } from '../scripts/support/programs.mjs';
import { ask, mixed, steadyLoad, succeeded } from './support/client.mjs';
import { query, startStore } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';
import { start, startHaproxy } from './support/programs.mjs';

const QUIET_MS = isShort ? 8_000 : 600_000;
const PATIENCE_MS = 60_000;
const CLIENTS = 700; // more than HAProxy takes
const UNREAD = 12_000;
/** How much faster the rules are, and the most seconds that remain: shorter than all the waiting, in the same order. */
const FASTER = { for: 12, window: 30 };
const MOST = { for: 12, window: isShort ? 10 : 30 };
const trigger = (body, kind) => `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$;
  CREATE TRIGGER bad ${kind} INSERT ON pets EXECUTE FUNCTION bad()`;

/** What happens, and what must fire; nothing else may, except what is in `may`. A `cause` returns what ends it. */
const incidents = ({ drill, database, services, key, proxy }) => {
  const sql = (text) => query(database.url, text);
  const [, second] = services;
  return [
    [
      'guessed keys, a deprecated call, a failing statement',
      ['KeyFailures', 'DeprecatedCalls', 'InternalErrors'],
      async () => {
        const guesses = steadyLoad(drill, 8, () => ask(proxy.origin, 'GET', '/v1/pets', { key: 'guessed' }));
        await ask(proxy.origin, 'GET', '/v1/pets/1', { key });
        await sql(trigger("RAISE 'on purpose'", 'BEFORE'));
        await delay(1_000);
        await sql('DROP FUNCTION bad CASCADE');
        return () => guesses.finish();
      },
    ],
    ['the database is away', ['DatabaseAway'], async () => (await database.stop(), () => database.start())],
    [
      'no replica',
      ['NoReplica'],
      async () => {
        await Promise.all(services.map((one) => one.stop('SIGKILL')));
        return () => Promise.all(services.map((one) => one.start()));
      },
    ],
    ...(isShort
      ? []
      : [
          ['a replica is away', ['ReplicaDown'], async () => (await second.stop(), () => second.start())],
          [
            'a replica crashes',
            ['CrashLoop'],
            async () => {
              for (let i = 0; i < 4; i++, await delay(1_500)) await second.stop('SIGKILL').then(second.start);
            },
          ],
          ['overload', ['Refused'], () => overload(proxy.origin, key), ['Slow']],
          [
            'slow creates',
            ['Slow'],
            async () => {
              await sql(trigger('PERFORM pg_sleep(0.3); RETURN NULL', 'AFTER'));
              return () => sql('DROP FUNCTION bad CASCADE');
            },
            ['Refused'],
          ],
          [
            'a log that nobody reads',
            ['LogLinesLost'],
            async () => {
              second.child.stdout.pause();
              for (let i = 0; i < UNREAD; i += 100)
                await Promise.all(Array.from({ length: 100 }, () => ask(second.origin, 'GET', '/v1/nothing', { key })));
              return () => second.child.stdout.resume();
            },
          ],
        ]),
  ];
};

await runDrill(async (drill) => {
  require('prometheus', 'prometheus');
  const METRICS_PORT = [await freePort(), await freePort()];
  const settings = METRICS_PORT.map((port) => ({
    METRICS_PORT: String(port),
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: '127.0.0.1',
  }));
  const store = await startStore(drill, { replicas: 2, settings, stdio: ['ignore', 'pipe', 'inherit'] });
  const proxy = await startHaproxy(drill, store.services);
  const prometheus = await startPrometheus(drill, {
    'animal-store': METRICS_PORT.map((port) => `127.0.0.1:${port}`),
    haproxy: [proxy.status],
  });
  steadyLoad(drill, 40, mixed(proxy.origin, store.key));
  await delay(QUIET_MS);
  drill.expect(
    `${QUIET_MS / 1_000} quiet seconds: no alert (${[...prometheus.fired.keys()]})`,
    prometheus.fired.size === 0,
  );

  for (const [name, expected, cause, may = []] of incidents({ drill, proxy, ...store })) {
    prometheus.fired.clear();
    const begun = performance.now();
    const end = await cause();
    const all = () => expected.every((alert) => prometheus.fired.has(alert));
    await until(`${name}: ${expected}`, all, PATIENCE_MS).catch(({ message }) => drill.expect(message, false));
    const took = Math.round((performance.now() - begun) / 1_000);
    await end?.();
    await until(`${name}: calm`, () => prometheus.isCalm(), PATIENCE_MS);
    const fired = [...prometheus.fired];
    const isRight = fired.every(([alert, times]) => may.includes(alert) || (expected.includes(alert) && times === 1));
    drill.expect(`${name}: after ${took} s ${fired.map(([alert, times]) => `${alert} × ${times}`)}`, all() && isRight);
  }
});

async function overload(origin, key) {
  let isOver = false;
  const client = async (_, i) => {
    while (!isOver) if (!succeeded(await ask(origin, 'GET', `/v1/pets?limit=100&after=${i}`, { key }))) await delay(50);
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return () => ((isOver = true), Promise.all(clients));
}

async function startPrometheus(drill, targets) {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const read = (name) => parse(readFileSync(join(root, 'docker/prometheus', name), 'utf8'));
  const rules = read('rules.yml');
  for (const rule of rules.groups.flatMap((group) => group.rules)) {
    rule.expr = rule.expr.replace(/(?<=\[|offset )\d+[smhd]/g, (text) => faster(text, 'window'));
    if (rule.for) rule.for = faster(rule.for, 'for');
  }
  const jobs = Object.entries(targets).map(([name, each]) => ({ job_name: name, static_configs: [{ targets: each }] }));
  const config = {
    ...read('prometheus.yml'),
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: jobs,
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
  writeFileSync(join(folder, 'rules.yml'), stringify(rules));
  const address = `127.0.0.1:${await freePort()}`;
  start(drill, 'prometheus', [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]);
  const get = async (path) => JSON.parse((await ask(`http://${address}`, 'GET', `/api/v1/${path}`)).text || '{}').data;
  const up = async () => (await get('query?query=up%20==%201').catch(() => {}))?.result.length;
  await until('Prometheus scrapes all', async () => (await up()) === Object.values(targets).flat().length);
  /** By name: how often it began to fire. */
  const fired = new Map();
  let firing = new Set();
  const timer = setInterval(async () => {
    const { alerts } = (await get('alerts').catch(() => {})) ?? { alerts: [] };
    const now = new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    for (const alert of now) if (!firing.has(alert)) fired.set(alert, (fired.get(alert) ?? 0) + 1);
    firing = now;
  }, 300);
  drill.defer(() => clearInterval(timer));
  return { fired, isCalm: () => firing.size === 0 };
}

function faster(text, kind) {
  const seconds = parseInt(text, 10) * { s: 1, m: 60, h: 3_600, d: 86_400 }[text.at(-1)];
  return `${Math.min(MOST[kind], Math.max(1, seconds / FASTER[kind])) * 1_000}ms`;
}
