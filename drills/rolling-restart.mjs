// Replicas behind HAProxy are stopped and started one after the other under load; others migrate one database at once.
import { ask, mixed, steadyLoad, succeeded, slowest, tally } from './support/client.mjs';
import { query, startStore } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';
import { startHaproxy, startService } from './support/programs.mjs';

const RESTARTS = isShort ? 1 : 10;
const REPLICAS = isShort ? 3 : 8;
const PER_SECOND = isShort ? 100 : 150;
const REQUESTS = isShort ? 500 : 20_000;
const EXIT_MS = 10_000;
const MOST_MS = 10 * 60_000;

await runDrill(async (drill) => {
  const { database, services, key } = await startStore(drill, { replicas: 2 });
  const proxy = await startHaproxy(drill, services);
  const load = steadyLoad(drill, PER_SECOND, mixed(proxy.origin, key));
  const exits = [];
  for (let i = 0; i < RESTARTS * 2; i++) {
    const [service, number] = [services[i % 2], (i % 2) + 1];
    const begun = performance.now();
    await service.stop('SIGTERM');
    exits.push({ ms: performance.now() - begun, code: service.child.exitCode });
    await service.start();
    await until(`HAProxy uses replica ${number}`, () => proxy.isUp(number));
    if (i % 2) drill.progress(`both restarted, ${(i + 1) / 2} times; ${load.answers.length} answers`);
  }
  await until('enough requests', () => load.answers.length >= REQUESTS, MOST_MS);
  const answers = await load.finish();
  const failed = answers.filter((one) => !succeeded(one));
  drill.figure('requests', `${answers.length}; slowest ${slowest(answers)} ms`);
  drill.figure('exits', `${exits.length}; slowest ${slowest(exits)} ms`);
  drill.expect(`${failed.length} failed (${tally(failed)})`, failed.length === 0 && answers.length >= REQUESTS);
  drill.expect(
    'each exit with 0, within 10 s',
    exits.every(({ ms, code }) => ms <= EXIT_MS && code === 0),
  );
  await Promise.all(services.map((service) => service.stop()));

  await query(database.url, 'CREATE DATABASE empty');
  const url = Object.assign(new URL(database.url), { pathname: '/empty' }).href;
  const many = await Promise.all(Array.from({ length: REPLICAS }, () => startService(drill, { DATABASE_URL: url })));
  const [{ run, distinct }] = await query(
    url,
    'SELECT count(*) AS run, count(DISTINCT name) AS distinct FROM migrations',
  );
  const ready = await Promise.all(many.map(({ origin }) => ask(origin, 'GET', '/health/ready')));
  drill.figure(`${REPLICAS} replicas at once`, `${run} migrations`);
  drill.expect('each migration ran once, and all are ready', run > 0n && run === distinct && ready.every(succeeded));
});
