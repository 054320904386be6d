// A Citus cluster under load: workers are killed, and nothing acknowledged is lost; a shard moves, and no request fails.
import { setTimeout as delay } from 'node:timers/promises';
import { startCitus } from '../scripts/support/citus.mjs';
import { ask, refusedProperly, slowest, steadyLoad, succeeded, tally } from './support/client.mjs';
import { connectTo, startStore } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';

const ROUNDS = isShort ? 3 : 12;
const PER_SECOND = 60;
const DOWN_MS = 600;
const ANSWER_MS = 1_500;
const VISIBLE_MS = 1_000;

const ELSEWHERE = `SELECT id FROM unnest($1::bigint[]) AS id JOIN pg_dist_placement
  ON shardid = get_shard_id_for_distribution_column('pets', id) JOIN pg_dist_node USING (groupid) WHERE nodeport <> $2`;
const MOVE = `SELECT citus_move_shard_placement(min(shardid), '127.0.0.1', $1, '127.0.0.1', $2, 'force_logical')
  FROM pg_dist_placement JOIN pg_dist_node USING (groupid) JOIN pg_dist_shard USING (shardid)
  WHERE logicalrelid = 'pets'::regclass AND nodeport = $1`;

await runDrill(async (drill) => {
  drill.progress('starting Citus');
  const cluster = await startCitus();
  const settings = { DATABASE_DISTRIBUTION: 'citus' };
  const { origin, key } = await startStore(drill, { server: cluster, settings });
  const client = await connectTo(drill, cluster.url);
  const read = (id) => ask(origin, 'GET', `/v1/pets/${id}`, { key });
  const idsOf = (answers) => answers.filter(({ status }) => status === 201).map(({ text }) => JSON.parse(text).id);

  /** Half of the creates have a record in another shard, so that they are committed in two phases. */
  async function send(i) {
    const known = idsOf(load.answers.slice(-50));
    if (i % 2 && known.length > 0) return read(known[i % known.length]);
    return ask(origin, 'POST', '/v1/pets', { key, body: { name: 'Rex', categoryId: i }, repeatable: i % 4 === 0 });
  }
  const load = steadyLoad(drill, PER_SECOND, send);
  await delay(1_000);

  const [others, visible] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const worker = cluster.nodes[1 + (round % 2)];
    drill.progress(`killing worker ${1 + (round % 2)}`);
    const before = load.answers.length;
    await worker.stop('SIGQUIT');
    const { rows } = await client.query(ELSEWHERE, [idsOf(load.answers).slice(-50), worker.port]);
    others.push(...(await Promise.all(rows.map(({ id }) => read(id)))));
    await delay(DOWN_MS);
    await worker.start();
    const back = performance.now();
    const seen = (id) => until(`animal ${id} is visible`, async () => succeeded(await read(id)));
    await Promise.all(idsOf(load.answers.slice(before)).map(seen));
    visible.push(Math.round(performance.now() - back));
    await delay(500);
  }

  drill.progress('moving a shard');
  const calm = load.answers.length;
  const [, { port: from }, { port: to }] = cluster.nodes;
  await client.query(MOVE, [from, to]);
  await delay(500);
  const answers = await load.finish();
  const meanwhile = answers.slice(calm);

  const ids = idsOf(answers);
  const stored = await client.query('SELECT FROM pets WHERE id = ANY ($1)', [ids]);
  const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
  drill.figure('requests', `${tally(answers)}; slowest ${slowest(answers)} ms`);
  drill.expect(`${ids.length} acknowledged, ${stored.rowCount} of them stored`, stored.rowCount === ids.length);
  drill.expect(`each answer a success or a proper 503 (else ${tally(wrong)})`, wrong.length === 0);
  drill.expect(`each within ${ANSWER_MS} ms`, slowest(answers) <= ANSWER_MS);
  drill.expect(`animals of the other worker: ${tally(others)}`, others.length > 0 && others.every(succeeded));
  drill.expect(`all visible after ${visible.join(', ')} ms`, Math.max(...visible) <= VISIBLE_MS);
  drill.expect(`while a shard moves: ${tally(meanwhile)}`, meanwhile.length > 0 && meanwhile.every(succeeded));
});
