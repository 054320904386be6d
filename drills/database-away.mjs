// PostgreSQL is stopped, frozen, unreachable, moved: each answer is a 503 at once, and the service comes back by itself.
import { execSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../scripts/support/free-port.mjs';
import { findBinaries } from '../scripts/support/postgres.mjs';
import { require, root } from '../scripts/support/programs.mjs';
import { defer, expect, isShort, runDrill, until } from './support/drill.mjs';
import { ask, endure, expectProper, mixed, refusedProperly, tally } from './support/load.mjs';
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
  const url = database.url.replace(database.port, port);
  const service = await startService({ DATABASE_URL: url }, { state: 'live' });
  const { origin } = service;
  const early = await ask(origin, 'GET', '/v1/pets', { key });
  expect(`started before the database: ${tally([early])}`, refusedProperly(early));
  await database.start();
  await until('it is ready', () => isIn('ready', service), BACK_MS);

  async function away(name, begin, end) {
    const { answers, during, backMs } = await endure(mixed(origin, key), AWAY_MS, begin, end);
    expect(`${name}: all 503 while it is away (${during.length})`, during.length > 0 && during.every(refusedProperly));
    expectProper(answers, ANSWER_MS);
    expect(`back within ${BACK_MS} ms: ${backMs} ms`, backMs <= BACK_MS);
  }

  await away('stopped', () => database.stop(), database.start);
  const [server] = readFileSync(`${database.data}/postmaster.pid`, 'utf8').split('\n');
  // The server first: a frozen one starts no more processes.
  const signal = (name, pid) => () => spawnSync('sh', ['-c', `kill -${name} ${pid}; pkill -${name} --parent ${pid}`]);
  defer(signal('CONT', server));
  await away('frozen', signal('STOP', server), signal('CONT', server));
  await away('unreachable', signal('STOP', gate.child.pid), signal('CONT', gate.child.pid));
  const programs = findBinaries();
  execSync(`${programs}/pg_dump -d ${database.url} | ${programs}/psql -q -o /dev/null -d ${other.url}`);
  const move = () => gate.stop('SIGKILL').then(() => (gate = openGate(port, other)));
  await away('moved', () => database.stop(), move);
  expect('the service was never restarted', service.isRunning());
});

/** An address that leads to a database. While its program is stopped, it holds everything. */
function openGate(port, database) {
  const env = { ...process.env, GATE: `127.0.0.1:${port}`, TARGET: `127.0.0.1:${database.port}` };
  const args = ['-db', '-f', join(root, 'drills/support/gate.cfg')];
  return start(require('haproxy', 'haproxy'), args, { env, stdio: 'ignore' });
}
