import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startCitus } from '../scripts/support/citus.mjs';
import { freePort } from '../scripts/support/free-port.mjs';
import { root } from '../scripts/support/programs.mjs';

export const title = 'a Citus cluster under load: workers are killed, a shard moves';
export const hasShortForm = true;

const DOWN_MS = 600;
const VISIBLE_MS = 1_000;
/** What a request may take, on a machine that is busy. */
const SLOW_MS = 1_500;

const ELSEWHERE = `SELECT id FROM unnest($1::bigint[]) AS id JOIN pg_dist_placement
  ON shardid = get_shard_id_for_distribution_column('pets', id) JOIN pg_dist_node USING (groupid) WHERE nodeport <> $2`;
const MOVE = `SELECT citus_move_shard_placement(min(shardid), '127.0.0.1', $1, '127.0.0.1', $2, 'force_logical')
  FROM pg_dist_placement JOIN pg_dist_node USING (groupid) JOIN pg_dist_shard USING (shardid)
  WHERE logicalrelid = 'pets'::regclass AND nodeport = $1`;

export async function run(drill) {
  drill.progress('starting Citus and the service');
  const cluster = await startCitus();
  drill.defer(cluster.remove);
  const call = await startService(drill, cluster.url);
  const database = new pg.Client({ connectionString: cluster.url });
  drill.defer(() => database.end());
  await database.connect();
  const query = async (...statement) => (await database.query(...statement)).rows;
  const load = startLoad(call);
  drill.defer(load.stop);
  await pause(1_000);

  const others = [];
  const visibleAfter = [];
  for (let round = 0; round < (drill.short ? 3 : 12); round++) {
    const worker = cluster.nodes[1 + (round % 2)];
    drill.progress(`round ${round + 1}: killing a worker`);
    const before = load.acknowledged.length;
    await worker.stop('SIGQUIT');
    const alive = await query(ELSEWHERE, [load.acknowledged.slice(-50), worker.port]);
    others.push(...(await Promise.all(alive.map(({ id }) => call('GET', `/v1/pets/${id}`)))));
    await pause(DOWN_MS);
    await worker.start();
    const back = performance.now();
    for (const id of load.acknowledged.slice(before))
      while ((await call('GET', `/v1/pets/${id}`)).status !== 200) await pause(20);
    visibleAfter.push(Math.round(performance.now() - back));
    await pause(500);
  }
  drill.progress('moving a shard');
  const calm = load.outcomes.length;
  const [, { port: source }, { port: target }] = cluster.nodes;
  await query(MOVE, [source, target]);
  await pause(500);
  await load.stop();

  const { acknowledged, outcomes } = load;
  const moved = outcomes.slice(calm);
  const refused = (answers) => answers.filter(({ status }) => status >= 300).length;
  const stored = await query('SELECT FROM pets WHERE id = ANY ($1)', [acknowledged]);
  const slowest = Math.round(outcomes.reduce((most, { ms }) => Math.max(most, ms), 0));
  drill.figure('requests', `${outcomes.length}, refused ${refused(outcomes)}, the slowest ${slowest} ms`);
  drill.figure('visible after', `${visibleAfter.join(', ')} ms`);
  drill.expect(`all of ${acknowledged.length} acknowledged are stored`, stored.length === acknowledged.length);
  const known = outcomes.every(({ status }) => [200, 201, 503].includes(status));
  drill.expect('nothing but 200, 201 and 503', known);
  drill.expect(`rows of the other worker are served (${others.length})`, others.length > 0 && refused(others) === 0);
  drill.expect('no request takes long', slowest < SLOW_MS);
  drill.expect(`animals are visible within ${VISIBLE_MS} ms`, Math.max(...visibleAfter) < VISIBLE_MS);
  drill.expect(`moving a shard fails none of ${moved.length} requests`, moved.length > 0 && refused(moved) === 0);
}

async function startService(drill, url) {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const settings = { PORT: new URL(origin).port, HOST: '127.0.0.1', LOG_LEVEL: 'error', RATE_LIMIT_PER_KEY: '0' };
  const env = { ...process.env, DATABASE_URL: url, DATABASE_DISTRIBUTION: 'citus', ...settings };
  const service = spawn(process.execPath, [join(root, 'dist/main.js')], { env, stdio: ['ignore', 2, 2] });
  drill.defer(() => service.kill());
  while ((await fetch(`${origin}/health/ready`).catch(() => undefined))?.status !== 200) await pause(50);
  const issue = [join(root, 'dist/auth/keys.cli.js'), 'issue', '--name', 'drill', '--quiet'];
  const key = execFileSync(process.execPath, issue, { env, encoding: 'utf8' }).trim();
  const call = async (method, path, { body, headers } = {}) => {
    const began = performance.now();
    const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
    const response = await fetch(`${origin}${path}`, { method, body, headers: all });
    const text = await response.text();
    return { status: response.status, text, ms: performance.now() - began };
  };
  return call;
}

/** Creates animals, every other one with its record in another shard, and reads them. */
function startLoad(call) {
  /** @type {number[]} */
  const acknowledged = [];
  const outcomes = [];
  let isRunning = true;
  const loop = async (own) => {
    while (isRunning) {
      const headers = own % 2 ? { 'idempotency-key': randomUUID() } : {};
      const created = await call('POST', '/v1/pets', { body: '{"name":"Rex","categoryId":1}', headers });
      if (created.status === 201) acknowledged.push(JSON.parse(created.text).id);
      const id = acknowledged[Math.floor(Math.random() * acknowledged.length)] ?? 1;
      outcomes.push(created, await call('GET', `/v1/pets/${id}`));
      await pause(20);
    }
  };
  const loops = Promise.all(Array.from({ length: 8 }, (_, i) => loop(i)));
  return { acknowledged, outcomes, stop: () => ((isRunning = false), loops) };
}
