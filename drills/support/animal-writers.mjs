import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, storedNothing } from './client.mjs';

const RETRY_MS = 20;
const REPEAT_EVERY = 10;
const STATUSES = ['available', 'pending', 'sold', undefined];

/** What any int64 and any text need, to see that nothing is altered. Bodies are text: JSON rounds an int64. */
function anyAnimal(name) {
  const categoryId = BigInt.asIntN(64, (BigInt(randomInt(2 ** 32)) << 32n) | BigInt(randomInt(2 ** 32)));
  const status = STATUSES[randomInt(STATUSES.length)];
  const body = `{"name":"${name}","categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`;
  return { animal: { name, categoryId, status: status ?? null }, body };
}

const idOf = (text) => BigInt(/"id":(-?\d+)/.exec(text)[1]);

/** Creates without a key: what has no answer may or may not be stored. */
export async function createAnimals({ origins, key, journal, name }) {
  for (let i = 0; !journal.isEnding; i++) {
    const { animal, body } = anyAnimal(`${name} ${i} жираф 🦒`);
    const answer = await ask(origins[i % 2], 'POST', '/v1/pets', { key, body });
    if (answer.status === 201) journal.animals.push({ ...animal, id: idOf(answer.text) });
    else if (storedNothing(answer)) journal.animals.push({ ...animal, isRefused: true });
    else if (answer.status !== 0 && answer.status !== 503) journal.wrong.push(`${answer.status} ${answer.text}`);
    if (answer.status !== 201) await delay(RETRY_MS);
  }
}

/** Repeats a request until it is decided. A replica that is away sends it to the other one. */
export async function insist({ origins, key, journal }, method, path, body) {
  const repeatable = randomUUID();
  const again = (i) => ask(origins[i % 2], method, path, { key, body, repeatable });
  for (let i = 0; ; i++) {
    const answer = await again(i);
    const isDecided = answer.status !== 0 && answer.status !== 503 && !/idempotency|in_progress/.test(answer.text);
    if (isDecided && answer.status >= 500) journal.wrong.push(`${answer.status} ${answer.text}`);
    if (isDecided) return { ...answer, again };
    await delay(RETRY_MS);
  }
}

export async function repeatAnimals(store) {
  const { journal, name } = store;
  for (let i = 0; !journal.isEnding; i++) {
    const { animal, body } = anyAnimal(`keyed ${name} ${i}`);
    const answer = await insist(store, 'POST', '/v1/pets', body);
    if (answer.status === 201) journal.animals.push({ ...animal, id: idOf(answer.text) });
    else journal.wrong.push(`${answer.status} ${answer.text}`);
    if (i % REPEAT_EVERY) continue;
    const second = await answer.again(i);
    if (second.status === 0 || second.status === 503) continue;
    journal.repeated++;
    if (second.status !== answer.status || second.text !== answer.text) journal.differing++;
  }
}

export function compareAnimals({ animals }, rows) {
  const stored = new Map();
  for (const row of rows) stored.set(row.name, [...(stored.get(row.name) ?? []), row]);
  const found = { lost: 0, altered: 0, doubled: 0, uncalled: 0 };
  for (const { id, name, categoryId, status, isRefused } of animals) {
    const [row] = stored.get(name) ?? [];
    if (isRefused) found.uncalled += row ? 1 : 0;
    else if (!row) found.lost++;
    else if (row.id !== id || row.category_id !== categoryId || row.status !== status) found.altered++;
  }
  for (const [name, { length }] of stored) if (!name.startsWith('wanted') && length > 1) found.doubled++;
  return found;
}
