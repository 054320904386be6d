// Workers of a Citus cluster are killed under load: nothing acknowledged is lost; a shard moves, and no request fails.
import { setTimeout as delay } from 'node:timers/promises';
import { startCitus } from '../scripts/support/citus.mjs';
import { defer, expect, isShort, runDrill, tell, until } from './support/drill.mjs';
import { ask, expectProper, openLoop, succeeded, tally } from './support/load.mjs';
import { startStore } from './support/programs.mjs';

const ROUNDS = isShort ? 2 : 12;
const DOWN_MS = 600;
const ANSWER_MS = 1_500;
const VISIBLE_MS = 1_000;

const ELSEWHERE = `SELECT id FROM unnest($1::bigint[]) AS id JOIN pg_dist_placement
  ON shardid = get_shard_id_for_distribution_column('pets', id) JOIN pg_dist_node USING (groupid) WHERE nodeport <> $2`;
const MOVE = `SELECT citus_move_shard_placement(min(shardid), '127.0.0.1', $1, '127.0.0.1', $2, 'force_logical')
  FROM pg_dist_placement JOIN pg_dist_node USING (groupid) JOIN pg_dist_shard USING (shardid)
  WHERE logicalrelid = 'pets'::regclass AND nodeport = $1`;

await runDrill(async () => {
  const cluster = await startCitus();
  defer(() => cluster.remove());
  const { services, key, sql } = await startStore({ database: cluster, settings: { DATABASE_DISTRIBUTION: 'citus' } });
  const [{ origin }] = services;
  const read = (id) => ask(origin, 'GET', `/v1/pets/${id}`, { key });
  const idsOf = (answers) => answers.filter(({ status }) => status === 201).map(({ text }) => JSON.parse(text).id);

  /** Half of the creates have a record in another shard, so that they are committed in two phases. */
  async function send(i) {
    const known = idsOf(load.answers.slice(-50));
    if (i % 2 && known.length > 0) return read(known[i % known.length]);
    const repeatable = i % 4 === 0 && `create-${i}`;
    return ask(origin, 'POST', '/v1/pets', { key, body: { name: 'Rex', categoryId: i }, repeatable });
  }
  const load = openLoop(60, send);
  await delay(1_000);
  const others = [];
  for (let round = 0; round < ROUNDS; round++) {
    const worker = cluster.nodes[1 + (round % 2)];
    const before = load.answers.length;
    await worker.stop('SIGQUIT');
    const recent = idsOf(load.answers).slice(-50);
    const elsewhere = (await sql(ELSEWHERE, [recent, worker.port])).map(({ id }) => String(id));
    others.push(...(await Promise.all(recent.map(read))).filter((_, i) => elsewhere.includes(String(recent[i]))));
    await delay(DOWN_MS);
    await worker.start();
    const seen = (id) => until(`animal ${id} is visible`, async () => succeeded(await read(id)), VISIBLE_MS);
    await Promise.all(idsOf(load.answers.slice(before)).map(seen));
    tell(`worker ${1 + (round % 2)} was killed, all animals were visible in time`);
    await delay(500);
  }

  const calm = load.answers.length;
  const [, { port: from }, { port: to }] = cluster.nodes;
  await sql(MOVE, [from, to]);
  await delay(500);
  const answers = await load.finish();
  const meanwhile = answers.slice(calm);

  const ids = idsOf(answers);
  const stored = await sql('SELECT FROM pets WHERE id = ANY ($1)', [ids]);
  expect(`${ids.length} acknowledged, ${stored.length} of them stored`, stored.length === ids.length);
  expectProper(answers, ANSWER_MS);
  expect(`animals of the other worker: ${tally(others)}`, others.length > 0 && others.every(succeeded));
  expect(`while a shard moves: ${tally(meanwhile)}`, meanwhile.length > 0 && meanwhile.every(succeeded));
});
