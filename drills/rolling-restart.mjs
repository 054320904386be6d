// Replicas behind HAProxy restart one after the other under load, others migrate one database at once: no request fails.
import { expect, isShort, runDrill, until } from './support/drill.mjs';
import { mixed, openLoop, slowest, succeeded, tally } from './support/load.mjs';
import { startHaproxy, startStore } from './support/programs.mjs';

const RESTARTS = isShort ? 1 : 10;
const REPLICAS = isShort ? 3 : 8;
const PER_SECOND = isShort ? 100 : 150;
const REQUESTS = isShort ? 500 : 20_000;
const EXIT_MS = 10_000;
const MOST_MS = 10 * 60_000;

await runDrill(async () => {
  const { database, services, key, sql } = await startStore({ replicas: 2 });
  const proxy = await startHaproxy(services);
  const load = openLoop(PER_SECOND, mixed(proxy.origin, key));
  const exits = [];
  for (let i = 0; i < RESTARTS * 2; i++) {
    const [service, number] = [services[i % 2], (i % 2) + 1];
    const begun = performance.now();
    await service.stop('SIGTERM');
    exits.push({ ms: performance.now() - begun, code: service.child.exitCode });
    await service.start();
    await until(`HAProxy uses replica ${number}`, () => proxy.isUp(number));
  }
  await until('enough requests', () => load.answers.length >= REQUESTS, MOST_MS);
  const answers = await load.finish();
  const failed = answers.filter((one) => !succeeded(one));
  const isOrderly = ({ ms, code }) => ms <= EXIT_MS && code === 0;
  expect(`${failed.length} of ${answers.length} failed (${tally(failed)})`, failed.length === 0);
  expect(`${exits.length} exits with 0, within 10 s: ${slowest(exits)} ms`, exits.every(isOrderly));
  await Promise.all(services.map((service) => service.stop()));

  await sql('CREATE DATABASE empty');
  const empty = { url: Object.assign(new URL(database.url), { pathname: '/empty' }).href };
  const many = await startStore({ database: empty, replicas: REPLICAS }); // all get ready
  const [{ run, names }] = await many.sql('SELECT count(*) AS run, count(DISTINCT name) AS names FROM migrations');
  expect(`${run} migrations ran once, and ${REPLICAS} replicas are ready`, run > 0 && run === names);
});
