// Replicas and PostgreSQL are killed while animals and orders are written: nothing acknowledged is lost, altered or doubled.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, isShort, runDrill, tell, until } from './support/drill.mjs';
import { ask, closedLoop } from './support/load.mjs';
import { isIn, startStore } from './support/programs.mjs';

const KILLS = isShort ? 3 : 100;
const SERVER_KILLS = isShort ? 1 : 10;
const ACKNOWLEDGED = isShort ? 500 : 50_000;
const MOST_MS = 20 * 60_000;
const WRITERS = isShort ? 2 : 8; // of each kind
const RETRY_MS = 20;
const REPEAT_EVERY = 3;
const STATUSES = ['available', 'pending', 'sold', null];

const PETS = 'SELECT id::text, name, category_id::text AS "categoryId", status FROM pets';
const ORDERS = 'SELECT id::text, pet_id::text AS "petId", quantity, complete FROM orders';

/** What must be stored: animals by name, orders by their animal's id; null for what must not be. */
const journal = { pets: new Map(), orders: new Map() };
const seen = { acknowledged: 0, repeated: 0, differing: 0, wrong: [] };

await runDrill(async () => {
  const { database, services, key, sql } = await startStore({ replicas: 2 });
  /** A replica that is away sends the writer to the other one. */
  const send = (i, method, path, options) => ask(services[i % 2].origin, method, path, { key, ...options });
  const kinds = [createOnce, createSurely, orderAnimal];
  const loops = kinds.map((write) => closedLoop(WRITERS, (writer, i) => write(send, `${writer} ${i}`)));

  for (let kills = 1; kills <= KILLS; kills++) {
    const service = services[kills % 2];
    await service.stop('SIGKILL');
    if (kills % Math.floor(KILLS / SERVER_KILLS) === 0) {
      await database.stop('SIGQUIT'); // "immediate"
      await database.start();
      tell(`${kills} kills of replicas, the last with one of PostgreSQL; ${seen.acknowledged} acknowledged`);
    }
    await service.start();
    for (const one of services) await until(`${one.host} is ready`, () => isIn('ready', one));
    await delay(300);
  }
  await until(`${ACKNOWLEDGED} acknowledged`, () => seen.acknowledged >= ACKNOWLEDGED, MOST_MS);
  await Promise.all(loops.map((loop) => loop.finish()));

  tell(`${KILLS} kills of replicas, ${SERVER_KILLS} of PostgreSQL, ${seen.acknowledged} acknowledged`);
  compare('animals, with the status of their orders', journal.pets, await sql(PETS), 'name');
  compare('orders', journal.orders, await sql(ORDERS), 'petId');
  expect(`${seen.differing} of ${seen.repeated} repetitions answered differently`, seen.differing === 0);
  expect(`no other answers (${seen.wrong.slice(0, 3).join('; ') || 'none'})`, seen.wrong.length === 0);
});

/** Without a key, what has no answer, or one that says so, may or may not be stored. */
async function createOnce(send, name) {
  const { pet, body } = anyAnimal(`once ${name} жираф 🦒`);
  const { status, text } = await send(randomInt(2), 'POST', '/v1/pets', { body });
  if (status === 201) return acknowledge(pet, text);
  if (text === 'ECONNREFUSED' || (status === 503 && !/is unknown/.test(text))) journal.pets.set(pet.name, null);
  else if (status !== 0 && status !== 503) seen.wrong.push(`${status} ${text}`);
  return delay(RETRY_MS);
}

async function createSurely(send, name, status) {
  const { pet, body } = anyAnimal(`surely ${status} ${name}`, status);
  acknowledge(pet, (await insist(send, [201], 'POST', '/v1/pets', body)).text);
  return pet;
}

/** Orders an animal twice at once, of which one must win; then changes, completes or deletes the order, until it is sold. */
async function orderAnimal(send, name) {
  const pet = await createSurely(send, name, 'available');
  const { id: petId } = pet;
  while (pet.status !== 'sold') {
    const body = { petId: Number(petId), quantity: 1 };
    const order = () => insist(send, [201, 409], 'POST', '/v1/store/orders', body);
    const won = (await Promise.all([order(), order()])).filter(({ status }) => status === 201);
    if (won.length !== 1) return seen.wrong.push(`${won.length} of two orders won`);
    const id = idOf(won[0].text);
    const path = `/v1/store/orders/${id}`;
    const quantity = randomInt(1, 1_000);
    await insist(send, [200], 'PATCH', path, { quantity });
    const isSold = randomInt(3) === 0;
    if (isSold) await insist(send, [200], 'PATCH', path, { complete: true });
    else await insist(send, [204], 'DELETE', path);
    journal.orders.set(petId, isSold ? { id, petId, quantity, complete: true } : null);
    pet.status = isSold ? 'sold' : 'available';
  }
}

/** Repeats a request until it is decided, so that what must be stored is known. Some decisions are asked for again. */
async function insist(send, expected, method, path, body) {
  const repeatable = randomUUID();
  const isDecided = ({ status, text }) => status !== 0 && status !== 503 && !/idempotency|in_progress/.test(text);
  for (let i = randomInt(2); ; i++, await delay(RETRY_MS)) {
    const answer = await send(i, method, path, { body, repeatable });
    if (!isDecided(answer)) continue;
    if (!expected.includes(answer.status)) seen.wrong.push(`${method}: ${answer.status} ${answer.text}`);
    const second = randomInt(REPEAT_EVERY) === 0 && (await send(i + 1, method, path, { body, repeatable }));
    if (second && isDecided(second)) {
      seen.repeated++;
      if (second.status !== answer.status || second.text !== answer.text) seen.differing++;
    }
    return answer;
  }
}

/** Any int64 and any status, to see that nothing is altered. The body is text: JSON.stringify rounds an int64. */
function anyAnimal(name, status = STATUSES[randomInt(STATUSES.length)]) {
  const categoryId = String(BigInt.asIntN(64, BigInt(`0x${randomBytes(8).toString('hex')}`)));
  const body = `{"name":"${name}","categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`;
  return { pet: { name, categoryId, status }, body };
}

function acknowledge(pet, text) {
  seen.acknowledged++;
  journal.pets.set(pet.name, Object.assign(pet, { id: idOf(text) }));
}

function idOf(text) {
  return /"id":(-?\d+)/.exec(text)?.[1];
}

function compare(what, wanted, rows, key) {
  const stored = new Map(rows.map((row) => [row[key], row]));
  const wrong = [...wanted].filter(([name, row]) => !isDeepStrictEqual(stored.get(name) ?? null, row));
  const lost = wrong.filter(([name]) => !stored.has(name)).length;
  const others = `${wrong.length - lost} altered or unwanted, ${rows.length - stored.size} doubled`;
  expect(`of ${wanted.size} ${what}, ${lost} lost, ${others}`, wrong.length === 0 && rows.length === stored.size);
}
