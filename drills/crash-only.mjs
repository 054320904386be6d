import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { succeeded } from './support/answers.mjs';
import { RawClient, requestText } from './support/raw-client.mjs';
import { issueKeys } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { percentile } from './support/statistics.mjs';
import { Supervisor } from './support/supervisor.mjs';

export const title = 'a killed service is healthy again soon, and loses nothing it acknowledged';
export const hasShortForm = true;

const HEALTHY_MS = 3_000;
const WRITERS = 4;

export async function run(drill) {
  const { settings, key } = await setUp(drill);
  await killRepeatedly(drill, 'PostgreSQL', settings, key);

  const folder = mkdtempSync(join(tmpdir(), 'crash-only-'));
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const embedded = { DATABASE_URL: '', DATABASE_DIR: join(folder, 'database'), LOG_LEVEL: 'fatal' };
  drill.progress('issuing a key for the embedded database');
  const [embeddedKey] = await issueKeys(embedded, 1);
  await killRepeatedly(drill, 'embedded database', embedded, embeddedKey);
}

async function killRepeatedly(drill, name, settings, key) {
  const kills = drill.short ? 2 : 50;
  const supervisor = await Supervisor.start(drill, settings);
  const writing = writers(drill, supervisor.origin, key);
  const healthyMs = [];
  for (let i = 1; i <= kills; i++) {
    await delay(200 + Math.random() * 300);
    const killedAt = await supervisor.kill();
    healthyMs.push((await supervisor.ready()) - killedAt);
    if (i % 10 === 0 || drill.short) drill.progress(`${name}: ${i} of ${kills} kills`);
  }
  await delay(300); // allows writes after the last kill
  const { acknowledged, lost } = await writing.finish();
  await supervisor.stop();

  const at = (share) => (percentile(healthyMs, share) / 1_000).toFixed(2);
  drill.figure(name, `${kills} kills; healthy after p50 ${at(0.5)} s, at most ${at(1)} s`);
  drill.figure(`${name}, animals`, `${acknowledged} acknowledged, ${lost} lost`);
  drill.expect(
    `${name}: healthy within ${HEALTHY_MS / 1_000} s after each of ${kills} kills`,
    healthyMs.every((ms) => ms <= HEALTHY_MS),
  );
  drill.expect(`${name}: nothing acknowledged is lost`, acknowledged > kills && lost === 0);
}

/** Starts clients that create animals continuously; finish() counts the acknowledged animals that are missing. */
function writers(drill, origin, key) {
  const client = new RawClient(origin, { connections: WRITERS });
  drill.defer(() => client.close());
  const acknowledged = new Map();
  let writing = true;
  drill.defer(() => (writing = false));
  const write = async (writer) => {
    for (let i = 0; writing; i++) {
      const name = `animal ${i} of writer ${writer}`;
      const body = JSON.stringify({ name, categoryId: i });
      const { status, body: text } = await client.ask(requestText('POST', '/v1/pets', { key, body }));
      if (status === 201) acknowledged.set(JSON.parse(text).id, name);
      else await delay(20);
    }
  };
  const all = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  return {
    async finish() {
      writing = false;
      await Promise.all(all);
      const found = new Map();
      for (let after = ''; ;) {
        const page = await client.ask(requestText('GET', `/v1/pets?limit=100${after}`, { key }));
        if (!succeeded(page)) throw new Error(`Listing the animals failed: ${page.status || page.why}.`);
        const pets = JSON.parse(page.body);
        for (const { id, name } of pets) found.set(id, name);
        if (pets.length < 100) break;
        after = `&after=${pets.at(-1).id}`;
      }
      const lost = [...acknowledged].filter(([id, name]) => found.get(id) !== name).length;
      return { acknowledged: acknowledged.size, lost };
    },
  };
}
