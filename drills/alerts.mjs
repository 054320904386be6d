// The alerts of docker/prometheus, in fast motion on a real Prometheus, fire when they should, and only then.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { require, root } from '../scripts/support/programs.mjs';
import { expect, isShort, runDrill, until } from './support/drill.mjs';
import { ask, closedLoop, mixed, openLoop } from './support/load.mjs';
import { start, startHaproxy, startStore } from './support/programs.mjs';

const QUIET_MS = isShort ? 5_000 : 600_000;
const PATIENCE_MS = 90_000;
const FASTER = { s: 1 / 12, m: 5, d: 7_200 }; // in seconds
const MOST_SECONDS = isShort ? 10 : 30; // what waits longer than another still does
const CLIENTS = 700; // more than HAProxy takes
const UNREAD = 12_000;
const BAD = `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''on purpose''; END';
  CREATE TRIGGER bad BEFORE INSERT ON pets EXECUTE FUNCTION bad()`;
const SLOW = `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.42); RETURN NULL; END';
  CREATE TRIGGER bad AFTER INSERT ON pets EXECUTE FUNCTION bad()`;
const GOOD = 'DROP FUNCTION bad CASCADE';

await runDrill(async () => {
  const settings = { LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1' };
  const { database, services, key, sql } = await startStore({ replicas: 2, settings, output: 'pipe' });
  const { origin, status } = await startHaproxy(services);
  const { fired, isCalm } = await startPrometheus(database, services.map(({ metrics }) => metrics).concat(status));
  const [, second] = services;
  openLoop(40, mixed(origin, key));
  await delay(QUIET_MS);
  expect(`${QUIET_MS / 1_000} quiet seconds: no alert (${[...fired.keys()].join(', ')})`, fired.size === 0);

  /** The expected alerts must fire once, and no others but those that may. A cause may return what ends it. */
  async function incident(name, expected, cause, may = []) {
    fired.clear();
    const end = await cause();
    const all = () => expected.every((alert) => fired.has(alert));
    await until(name, all, PATIENCE_MS).catch(() => {});
    await end?.();
    await until(`${name}: calm`, isCalm, PATIENCE_MS);
    const isRight = [...fired].every(([alert, n]) => may.includes(alert) || (expected.includes(alert) && n === 1));
    const found = [...fired].map(([alert, n]) => `${alert} × ${n}`).join(', ');
    expect(`${name}: ${expected.join(', ')} once: ${found}`, all() && isRight);
  }

  const first = ['KeyFailures', 'DeprecatedCalls', 'InternalErrors'];
  await incident('guessed keys, a deprecated call, a failing statement', first, async () => {
    const guesses = openLoop(8, () => ask(origin, 'GET', '/v1/pets', { key: 'guessed' }));
    await ask(origin, 'GET', '/v1/pets/1', { key });
    await sql(BAD);
    await delay(1_000);
    await sql(GOOD);
    return guesses.finish;
  });
  await incident('the database is away', ['DatabaseAway'], () => database.stop().then(() => database.start));
  await incident('no replica', ['NoReplica'], async () => {
    await Promise.all(services.map((one) => one.stop('SIGKILL')));
    return () => Promise.all(services.map((one) => one.start()));
  });
  if (isShort) return;
  await incident('a replica is away', ['ReplicaDown'], () => second.stop().then(() => second.start));
  await incident('a replica crashes', ['CrashLoop'], async () => {
    for (let i = 0; i < 4; i++, await delay(1_500)) await second.stop('SIGKILL').then(second.start);
  });
  await incident('slow creates', ['Slow'], () => sql(SLOW).then(() => () => sql(GOOD)), ['Refused']);
  await incident('a log that nobody reads', ['LogLinesLost'], async () => {
    second.child.stdout.pause();
    await closedLoop(100, () => ask(second.origin, 'GET', '/v1/nothing', { key }), UNREAD).ended;
    return () => second.child.stdout.resume();
  });
  const page = (client) => ask(origin, 'GET', `/v1/pets?limit=100&after=${client}`, { key });
  await incident('overload', ['Refused'], () => closedLoop(CLIENTS, page).finish, ['Slow']);
});

/** Scrapes two replicas and HAProxy. `fired` has how often each alert began to fire. */
async function startPrometheus(database, targets) {
  const folder = join(database.data, '..'); // is removed with the database
  const adapt = (file, pattern, change) => {
    const text = readFileSync(join(root, 'docker/prometheus', file), 'utf8');
    writeFileSync(join(folder, file), text.replaceAll(pattern, change));
  };
  const faster = (_, count, unit) => `${Math.min(MOST_SECONDS, count * FASTER[unit]) * 1_000}ms`;
  adapt('rules.yml', /(?<=\[|offset | for: )(\d+)([smhd])/g, faster);
  adapt('prometheus.yml', /15s|(?<=')[\w-]+:\d+(?=')/g, (found) => (found === '15s' ? '1s' : targets.shift()));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [`--web.listen-address=${address}`, `--storage.tsdb.path=${folder}/metrics`, '--log.level=error'];
  start(require('prometheus', 'prometheus'), [`--config.file=${folder}/prometheus.yml`, ...flags]);

  const get = async (path) => {
    const { status, text } = await ask(`http://${address}`, 'GET', `/api/v1/${path}`);
    return status === 200 ? JSON.parse(text).data : { alerts: [], result: [] };
  };
  // Until it has, there is no replica.
  const scrapesAll = async () => (await get('query?query=up%3D%3D1')).result.length === 3;
  await until('Prometheus scrapes all', async () => (await scrapesAll()) && (await get('alerts')).alerts.length === 0);
  const fired = new Map();
  let firing = new Set();
  setInterval(async () => {
    const { alerts } = await get('alerts');
    const now = new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    for (const alert of now) if (!firing.has(alert)) fired.set(alert, (fired.get(alert) ?? 0) + 1);
    firing = now;
  }, 300);
  return { fired, isCalm: () => firing.size === 0 };
}
