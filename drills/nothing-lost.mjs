import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { succeeded, tally } from './support/answers.mjs';
import { AnimalJournal } from './support/animal-journal.mjs';
import { AnimalWriters, parseAnimals } from './support/animal-writers.mjs';
import { compareAnimals } from './support/compare-animals.mjs';
import { query } from './support/postgres.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { setUp } from './support/set-up.mjs';
import { Supervisor } from './support/supervisor.mjs';

export const title = 'no acknowledged animal is lost or altered when the service or its database is killed';
export const hasShortForm = true;

const WRITERS = 16;
const AT_MOST_S = 1_200;

export async function run(drill) {
  const goal = drill.short ? { kills: 4, acknowledgements: 1_500 } : { kills: 12, acknowledgements: 50_000 };
  const { cluster, settings, key } = await setUp(drill);
  const supervisor = await Supervisor.start(drill, settings);
  const folder = mkdtempSync(join(tmpdir(), 'nothing-lost-'));
  const journal = new AnimalJournal(folder);
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const client = new RawClient(supervisor.origin, { connections: WRITERS });
  drill.defer(() => client.close());
  const writers = new AnimalWriters(client, key, journal, WRITERS);

  const kills = await killWhileWriting(drill, goal, { supervisor, cluster, journal });
  await supervisor.ready();
  await writers.stop();
  drill.expect(`the service never crashes (${supervisor.crashes} crashes)`, supervisor.crashes === 0);
  drill.progress('reading all animals back');
  const fromApi = await readFromApi(client, key);
  const fromDatabase = await readFromDatabase(cluster.url);
  await judge(drill, { goal, kills, journal, fromApi, fromDatabase, wrong: writers.wrong });
  journal.close();
}

/** Kills the service and the database alternately, spread evenly over the writes. */
async function killWhileWriting(drill, goal, { supervisor, cluster, journal }) {
  const end = performance.now() + AT_MOST_S * 1_000;
  let kills = 0;
  for (;;) {
    const acknowledged = journal.counts.acknowledged ?? 0;
    if (kills >= goal.kills && acknowledged >= goal.acknowledgements) return kills;
    if (performance.now() > end) return kills; // judge() reports the shortfall
    if (kills < goal.kills && acknowledged >= ((kills + 0.5) / goal.kills) * goal.acknowledgements) {
      kills++;
      const target = kills % 2 === 1 ? 'the service' : 'PostgreSQL';
      drill.progress(
        `kill ${kills} of ${goal.kills}: ${target}, after ${acknowledged.toLocaleString('en')} animals`,
      );
      if (kills % 2 === 1) await supervisor.kill();
      else await crash(cluster);
    }
    await delay(20);
  }
}

async function crash({ pgCtl }) {
  await pgCtl('stop', '-m', 'immediate');
  await pgCtl('start');
}

/** Reads all animals, page by page. */
async function readFromApi(client, key) {
  const animals = [];
  for (let after = ''; ; after = `&after=${animals.at(-1).id}`) {
    const page = await client.ask(requestText('GET', `/v1/pets?limit=100${after}`, { key }));
    if (!succeeded(page)) throw new Error(`Listing the animals failed: ${page.status || page.why}.`);
    const pets = parseAnimals(page.body);
    animals.push(...pets);
    if (pets.length < 100) return animals;
  }
}

const readFromDatabase = (url) =>
  query(url, 'SELECT id::text, name, category_id::text AS "categoryId", status FROM pets ORDER BY id');

async function judge(drill, { goal, kills, journal, fromApi, fromDatabase, wrong }) {
  const { acknowledged = 0, refused = 0, unknown = 0, invalid = 0 } = journal.counts;
  drill.figure('kills', `${kills}: kill -9 of the service and immediate stops of PostgreSQL, in turn`);
  drill.figure('acknowledged', acknowledged.toLocaleString('en'));
  drill.figure(
    'other requests',
    `${invalid} invalid, ${refused} refused with 503, ${unknown} with unknown outcome`,
  );
  drill.expect(
    `${goal.kills} kills and ${goal.acknowledgements.toLocaleString('en')} acknowledgements`,
    kills >= goal.kills && acknowledged >= goal.acknowledgements,
  );
  drill.expect(`no other answers (${tally(wrong)})`, wrong.length === 0);
  for (const [source, animals] of Object.entries({ interface: fromApi, database: fromDatabase })) {
    const found = await compareAnimals(journal, animals);
    drill.figure(`read from the ${source}`, `${animals.length.toLocaleString('en')} animals`);
    for (const [what, count] of Object.entries(found))
      drill.expect(`${source}: ${count} ${what}`, count === 0);
  }
}
