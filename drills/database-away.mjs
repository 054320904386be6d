// PostgreSQL is stopped, frozen, unreachable, moved: each answer is a 503 at once, and the service comes back by itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../scripts/support/free-port.mjs';
import { findBinaries } from '../scripts/support/postgres.mjs';
import { require, root } from '../scripts/support/programs.mjs';
import { defer, expect, isShort, runDrill, tell, until } from './support/drill.mjs';
import { ask, endure, mixed, refusedProperly, slowest, tally, wrongOf } from './support/load.mjs';
import { isIn, issueKey, start, startDatabase, startService } from './support/programs.mjs';

const AWAY_MS = isShort ? 2_000 : 20_000;
const ANSWER_MS = 1_300;
const BACK_MS = 2_000;

await runDrill(async () => {
  const [database, other] = [await startDatabase(), await startDatabase()];
  const port = await freePort();
  let gate = openGate(port, database);
  const key = await issueKey(database);
  await database.stop();
  const settings = { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres` };
  const service = await startService(settings, { state: 'live' });
  const { origin } = service;
  const early = await ask(origin, 'GET', '/v1/pets', { key });
  expect(`started before the database: ${tally([early])}`, refusedProperly(early));
  await database.start();
  await until('it is ready', () => isIn('ready', service), BACK_MS);

  async function away(name, begin, end) {
    const cause = async () => (await begin(), end);
    const { answers, during, backMs } = await endure(mixed(origin, key), AWAY_MS, cause);
    const wrong = wrongOf(answers);
    tell(`${name}: ${tally(during)}`);
    expect(`all 503 while it is away`, during.length > 0 && during.every(refusedProperly));
    expect(`each answer a success or a proper 503 (else ${tally(wrong)})`, wrong.length === 0);
    expect(`each within ${ANSWER_MS} ms: ${slowest(answers)} ms`, slowest(answers) <= ANSWER_MS);
    expect(`back within ${BACK_MS} ms: ${backMs} ms`, backMs <= BACK_MS);
  }

  await away('stopped', () => database.stop(), database.start);
  const [server] = readFileSync(`${database.data}/postmaster.pid`, 'utf8').split('\n');
  // The server first: a frozen one starts no more processes.
  const signal = (name) => spawnSync('sh', ['-c', `kill -${name} ${server}; pkill -${name} --parent ${server}`]);
  defer(() => signal('CONT'));
  await away(
    'frozen',
    () => signal('STOP'),
    () => signal('CONT'),
  );
  await away(
    'unreachable',
    () => gate.child.kill('SIGSTOP'),
    () => gate.child.kill('SIGCONT'),
  );
  const programs = findBinaries();
  const dump = execFileSync(join(programs, 'pg_dump'), ['-d', database.url], { maxBuffer: 2 ** 28 });
  execFileSync(join(programs, 'psql'), ['-q', '-o', '/dev/null', '-d', other.url], { input: dump });
  await away(
    'moved',
    () => database.stop(),
    () => gate.stop('SIGKILL').then(() => (gate = openGate(port, other))),
  );
  expect('the service was never restarted', service.isRunning());
});

/** An address that leads to a database. While its program is stopped, it holds everything. */
function openGate(port, database) {
  const env = { ...process.env, GATE: `127.0.0.1:${port}`, TARGET: `127.0.0.1:${database.port}` };
  const args = ['-db', '-f', join(root, 'drills/support/gate.cfg')];
  return start(require('haproxy', 'haproxy'), args, { env, stdio: 'ignore' });
}
