// A real Prometheus with docker/prometheus, in fast motion, scrapes two replicas and HAProxy through a bad week.
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { ask, mixed, steadyLoad, succeeded } from './support/client.mjs';
import { query, startStore } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';
import { startHaproxy } from './support/programs.mjs';
import { startPrometheus } from './support/prometheus.mjs';

const QUIET_MS = isShort ? 5_000 : 600_000;
const PATIENCE_MS = 90_000;
const CLIENTS = 700; // more than HAProxy takes
const UNREAD = 12_000;
const BAD = `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''on purpose''; END';
  CREATE TRIGGER bad BEFORE INSERT ON pets EXECUTE FUNCTION bad()`;
const SLOW = `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.42); RETURN NULL; END';
  CREATE TRIGGER bad AFTER INSERT ON pets EXECUTE FUNCTION bad()`;
const GOOD = 'DROP FUNCTION bad CASCADE';

await runDrill(async (drill) => {
  const ports = [await freePort(), await freePort()].map(String);
  const settings = ports.map((port) => ({ METRICS_PORT: port, LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1' }));
  const stdio = ['ignore', 'pipe', 'inherit'];
  const { database, services, key } = await startStore(drill, { replicas: 2, settings, stdio });
  const proxy = await startHaproxy(drill, services);
  const targets = { 'animal-store': ports.map((port) => `127.0.0.1:${port}`), haproxy: [proxy.status] };
  const { fired, isCalm } = await startPrometheus(drill, targets);
  const sql = (text) => query(database.url, text);
  const [, second] = services;
  steadyLoad(drill, 40, mixed(proxy.origin, key));
  await delay(QUIET_MS);
  drill.expect(`${QUIET_MS / 1_000} quiet seconds: no alert (${[...fired.keys()].join(', ')})`, fired.size === 0);

  /** The expected alerts must fire once, and no others but those that may. A cause may return what ends it. */
  async function incident(name, expected, cause, may = []) {
    fired.clear();
    const begun = performance.now();
    const end = await cause();
    const all = () => expected.every((alert) => fired.has(alert));
    await until(name, all, PATIENCE_MS).catch(() => {});
    const took = Math.round((performance.now() - begun) / 1_000);
    await end?.();
    await until(`${name}: calm`, isCalm, PATIENCE_MS);
    const isRight = [...fired].every(([alert, n]) => may.includes(alert) || (expected.includes(alert) && n === 1));
    const found = [...fired].map(([alert, n]) => `${alert} × ${n}`).join(', ');
    drill.expect(`${name}: ${expected.join(', ')} once: ${found}; ${took} s`, all() && isRight);
  }

  const first = ['KeyFailures', 'DeprecatedCalls', 'InternalErrors'];
  await incident('guessed keys, a deprecated call, a failing statement', first, async () => {
    const guesses = steadyLoad(drill, 8, () => ask(proxy.origin, 'GET', '/v1/pets', { key: 'guessed' }));
    await ask(proxy.origin, 'GET', '/v1/pets/1', { key });
    await sql(BAD);
    await delay(1_000);
    await sql(GOOD);
    return () => guesses.finish();
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
  const slow = async () => (await sql(SLOW), () => sql(GOOD));
  await incident('slow creates', ['Slow'], slow, ['Refused']);
  await incident('a log that nobody reads', ['LogLinesLost'], async () => {
    const nothing = () => ask(second.origin, 'GET', '/v1/nothing', { key });
    second.child.stdout.pause();
    for (let i = 0; i < UNREAD; i += 100) await Promise.all(Array.from({ length: 100 }, nothing));
    return () => second.child.stdout.resume();
  });
  await incident('overload', ['Refused'], () => overload(proxy.origin, key), ['Slow']);
});

function overload(origin, key) {
  let isOver = false;
  const client = async (_, i) => {
    const page = () => ask(origin, 'GET', `/v1/pets?limit=100&after=${i}`, { key });
    while (!isOver) if (!succeeded(await page())) await delay(50);
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return () => ((isOver = true), Promise.all(clients));
}
