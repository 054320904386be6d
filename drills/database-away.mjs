// PostgreSQL is away in every manner: each answer is a 503 at once, and the service comes back by itself.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries, startPostgres } from '../scripts/support/postgres.mjs';
import { ask, mixed, refusedProperly, slowest, steadyLoad, succeeded, tally } from './support/client.mjs';
import { freeze } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';
import { openGate } from './support/gate.mjs';
import { isReady, issueKey, startService } from './support/programs.mjs';

const PER_SECOND = 60;
const AWAY_MS = isShort ? 2_000 : 20_000;
const ANSWER_MS = 1_300;
const BACK_MS = 2_000;

await runDrill(async (drill) => {
  const server = await startPostgres();
  drill.defer(() => server.remove());
  const gate = await openGate(drill, server.port);
  const url = `postgres://postgres@127.0.0.1:${gate.port}/postgres`;
  const key = await issueKey(server.url);
  await server.stop();
  const service = await startService(drill, { DATABASE_URL: url }, { whenListening: true });
  const { pid, origin } = service;
  const early = await ask(origin, 'GET', '/v1/pets', { key });
  drill.expect(`started before the database: ${tally([early])}`, refusedProperly(early));
  await server.start();
  const from = performance.now();
  await until('it is ready', () => isReady(origin));
  const ms = Math.round(performance.now() - from);
  drill.expect(`ready ${ms} ms after the database`, ms <= BACK_MS);

  async function away(name, begin, end) {
    const load = steadyLoad(drill, PER_SECOND, mixed(origin, key));
    await until('a request succeeds', () => load.answers.some(succeeded));
    await begin();
    const begun = performance.now();
    await delay(AWAY_MS);
    const ending = performance.now();
    await end();
    const back = performance.now();
    await until('a request succeeds again', () => load.answers.some((one) => succeeded(one) && one.at > back));
    const first = Math.min(...load.answers.filter((one) => succeeded(one) && one.at > back).map(({ at }) => at)) - back;
    await delay(500);
    const answers = await load.finish();
    const during = answers.filter(({ sentAt, at }) => sentAt > begun && at < ending);
    const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
    drill.figure(name, `${tally(during)}; slowest ${slowest(answers)} ms; first success after ${Math.round(first)} ms`);
    drill.expect(`${name}: all 503 while it is away`, during.length > 0 && during.every(refusedProperly));
    drill.expect(`${name}: each answer a success or a proper 503 (else ${tally(wrong)})`, wrong.length === 0);
    drill.expect(`${name}: each within ${ANSWER_MS} ms`, slowest(answers) <= ANSWER_MS);
    drill.expect(`${name}: back within ${BACK_MS} ms`, first <= BACK_MS);
  }

  await away(
    'stopped',
    () => server.stop(),
    () => server.start(),
  );
  let thaw;
  await away(
    'frozen',
    () => (thaw = freeze(drill, server)),
    () => thaw(),
  );
  await away(
    'unreachable',
    () => gate.hold(true),
    () => gate.hold(false),
  );
  const other = await startPostgres();
  drill.defer(() => other.remove());
  const programs = findBinaries();
  const dump = execFileSync(join(programs, 'pg_dump'), ['-d', server.url], { maxBuffer: 2 ** 28 });
  execFileSync(join(programs, 'psql'), ['-q', '-o', '/dev/null', '-d', other.url], { input: dump });
  await away(
    'moved',
    () => server.stop(),
    () => gate.lead(other.port),
  );
  drill.expect('the service was never restarted', service.isRunning() && service.pid === pid);
});
