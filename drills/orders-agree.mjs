import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tally } from './support/answers.mjs';
import { decided, disagreements, readAll, takeSnapshots } from './support/order-agreement.mjs';
import { OrderJournal } from './support/order-journal.mjs';
import { OrderWriters } from './support/order-writers.mjs';
import { query } from './support/postgres.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { issueKeys } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { Supervisor } from './support/supervisor.mjs';

export const title = 'statuses and orders agree when replicas or their database are killed';
export const hasShortForm = true;

const WRITERS = 16;
const ANIMALS = 6;
const RIVALS = 100;

/** By default after 1 s, when the statement timeout has ended the wait. */
const DETECT_DEADLOCKS = { deadlock_timeout: '10ms' };

export async function run(drill) {
  const kills = drill.short ? 2 : 24;
  await onPostgres(drill, kills);
  await onEmbedded(drill, kills / 2);
}

async function onPostgres(drill, kills) {
  const { cluster, settings, key } = await setUp(drill, DETECT_DEADLOCKS);
  const replicas = await Promise.all([1, 2].map(() => Supervisor.start(drill, settings)));
  const clients = replicas.map(({ origin }) => clientOf(drill, origin, RIVALS / 2));
  const journal = new OrderJournal();
  const writers = await OrderWriters.over(clients, { key, journal, animals: ANIMALS });
  writers.start(WRITERS);
  const snapshots = takeSnapshots(drill, cluster.url);
  await contend(drill, writers, journal, cluster.url);
  for (let kill = 1; kill <= kills; kill++) {
    const replica = replicas[Math.floor(kill / 2) % 2];
    await delay(500 + Math.random() * 500);
    drill.progress(`kill ${kill} of ${kills}: ${kill % 2 ? 'PostgreSQL' : 'a replica'}`);
    if (kill % 2) await crash(cluster);
    else await replica.kill();
  }
  for (const replica of replicas) await replica.ready();
  await delay(500);
  await writers.stop();
  await snapshots.stop();
  drill.figure('PostgreSQL', `${kills} kills, ${summary(journal)}`);
  drill.figure('snapshots', snapshots.taken.toLocaleString('en'));
  drill.expect(
    `snapshots with a disagreement: ${snapshots.wrong}`,
    snapshots.taken > 5 && snapshots.wrong === 0,
  );
  drill.expect(`PostgreSQL: no other answers (${tally(writers.wrong)})`, writers.wrong.length === 0);
  const found = await readAll(clients[0], key);
  judge(drill, 'PostgreSQL', journal.compare(found.orders), disagreements(found));
  drill.expect(
    'no replica crashes',
    replicas.every(({ crashes }) => crashes === 0),
  );
  await rush(drill, clients, key);
  await Promise.all(replicas.map((replica) => replica.stop()));
}

/** Of requests for one animal at the same moment, through both replicas, one succeeds. */
async function rush(drill, clients, key) {
  const rounds = drill.short ? 2 : 20;
  const refusals = [];
  let right = 0;
  for (let round = 0; round < rounds; round++) {
    const animal = JSON.stringify({ name: 'the only one', categoryId: 1, status: 'available' });
    const added = await decided(clients[0], requestText('POST', '/v1/pets', { key, body: animal }));
    const body = JSON.stringify({ petId: JSON.parse(added.body).id });
    const order = requestText('POST', '/v1/store/orders', { key, body });
    const answers = await Promise.all(
      Array.from({ length: RIVALS }, (_, i) => decided(clients[i % 2], order, refusals)),
    );
    const wins = answers.filter(({ status }) => status === 201).length;
    if (wins === 1 && answers.every(({ status }) => status === 201 || status === 409)) right++;
  }
  drill.figure(
    'orders at once',
    `${rounds} × ${RIVALS} for one animal; ${refusals.length} × 503, sent again`,
  );
  drill.expect(
    `one of ${RIVALS} gets the animal, the others 409, in ${right} of ${rounds} rounds`,
    right === rounds,
  );
}

/** Without kills, so that every 5xx is the service's own. */
async function contend(drill, writers, journal, url) {
  const seconds = drill.short ? 2 : 30;
  drill.progress(`${WRITERS} writers for ${seconds} s`);
  await delay(seconds * 1_000);
  const [{ deadlocks }] = await query(
    url,
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  const { refused } = journal.counts;
  const share = ((refused / writers.answers) * 100).toFixed(2);
  drill.figure(
    'contention',
    `${Math.round(writers.answers / seconds)} answers/s, ${share}% 503, ${deadlocks} deadlocks`,
  );
  drill.expect('no deadlock', deadlocks === 0);
  drill.expect(`nothing but 503 refused (${tally(writers.wrong)})`, writers.wrong.length === 0);
}

async function onEmbedded(drill, kills) {
  const folder = mkdtempSync(join(tmpdir(), 'orders-agree-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { DATABASE_URL: '', DATABASE_DIR: join(folder, 'database'), LOG_LEVEL: 'fatal' };
  const [key] = await issueKeys(settings, 1);
  const supervisor = await Supervisor.start(drill, settings);
  const client = clientOf(drill, supervisor.origin, WRITERS);
  const journal = new OrderJournal();
  const writers = await OrderWriters.over([client], { key, journal, animals: ANIMALS });
  for (let kill = 1; kill <= kills; kill++) {
    writers.start(WRITERS);
    await delay(1_000 + Math.random() * 1_000);
    drill.progress(`embedded: kill ${kill} of ${kills}`);
    await supervisor.kill();
    await supervisor.ready();
    await writers.stop();
    const found = await readAll(client, key);
    judge(drill, `embedded, after kill ${kill}`, journal.compare(found.orders), disagreements(found));
  }
  drill.figure('embedded', `${kills} kills, ${summary(journal)}`);
  drill.expect(`embedded: no other answers (${tally(writers.wrong)})`, writers.wrong.length === 0);
}

function clientOf(drill, origin, connections) {
  const client = new RawClient(origin, { connections });
  drill.defer(() => client.close());
  return client;
}

async function crash({ pgCtl }) {
  await pgCtl('stop', '-m', 'immediate');
  await pgCtl('start');
}

function judge(drill, where, contradictions, wrong) {
  const faults = Object.entries({ 'statuses disagree': wrong, ...contradictions }).filter(
    ([, count]) => count > 0,
  );
  const found = faults.map(([what, count]) => `${count} ${what}`).join(', ');
  drill.expect(`${where}: statuses, orders and answers agree${found && ` (not: ${found})`}`, found === '');
}

const summary = ({ counts }) =>
  Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ');
