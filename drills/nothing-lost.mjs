// Writers with and without Idempotency-Key, and of orders, on two replicas, while replicas and PostgreSQL are killed.
import { setTimeout as delay } from 'node:timers/promises';
import { isShort, runDrill, until } from './support/drill.mjs';
import { query, startStore } from './support/database.mjs';
import { compareAnimals, createAnimals, repeatAnimals } from './support/animal-writers.mjs';
import { compareOrders, orderAnimals } from './support/order-writers.mjs';
import { isReady } from './support/programs.mjs';

const KILLS = Number(process.env.DRILL_KILLS ?? (isShort ? 3 : 100));
const SERVER_KILLS = isShort ? 1 : 10;
const ACKNOWLEDGED = isShort ? 500 : 50_000;
const MOST_MS = 20 * 60_000;
const WRITERS = isShort ? 2 : 8; // of each kind

await runDrill(async (drill) => {
  const { database, services, key } = await startStore(drill, { replicas: 2 });
  const journal = { animals: [], orders: new Map(), wrong: [], differing: 0, repeated: 0, isEnding: false };
  const writers = Array.from({ length: WRITERS }, (_, i) => {
    const origins = services.map(({ origin }) => origin);
    if (i % 2) origins.reverse();
    const store = { origins, key, journal, name: `writer ${i}` };
    return [createAnimals(store), repeatAnimals(store), orderAnimals(store)];
  }).flat();
  const end = performance.now() + MOST_MS;
  const acknowledged = () => journal.animals.filter(({ id }) => id).length;

  let kills = 0;
  let serverKills = 0;
  for (; performance.now() < end && (kills < KILLS || serverKills < SERVER_KILLS); await delay(300)) {
    const service = services[kills++ % 2];
    await service.stop('SIGKILL');
    if (kills % Math.floor(KILLS / SERVER_KILLS) === 0) {
      await database.stop('SIGQUIT'); // "immediate"
      await database.start();
      serverKills++;
      drill.progress(`${kills} kills of replicas, ${serverKills} of PostgreSQL, ${acknowledged()} acknowledged`);
    }
    await service.start();
    await until('both replicas are ready', async () =>
      (await Promise.all(services.map((one) => isReady(one.origin)))).every(Boolean),
    );
  }
  while (acknowledged() < ACKNOWLEDGED && performance.now() < end) await delay(100);
  journal.isEnding = true;
  await Promise.all(writers);

  const { lost, altered, doubled, uncalled } = compareAnimals(
    journal,
    await query(database.url, 'SELECT id, name, category_id, status FROM pets'),
  );
  const orders = await query(database.url, 'SELECT id, pet_id, quantity, complete FROM orders');
  const pets = await query(database.url, "SELECT id, status FROM pets WHERE name LIKE 'wanted%'");
  const { differing, disagreeing } = compareOrders(journal, orders, pets);
  drill.figure(
    'acknowledged',
    `${acknowledged()} animals, ${journal.orders.size} orders, ${journal.repeated} repetitions`,
  );
  drill.expect(
    `${kills} kills of replicas, ${serverKills} of PostgreSQL`,
    kills >= KILLS && serverKills >= SERVER_KILLS,
  );
  drill.expect(`at least ${ACKNOWLEDGED} acknowledged`, acknowledged() >= ACKNOWLEDGED);
  drill.expect(`${lost} lost, ${altered} altered, ${doubled} doubled`, lost + altered + doubled === 0);
  drill.expect(`${uncalled} stored that were refused`, uncalled === 0);
  drill.expect(`${journal.differing} repetitions answered differently`, journal.differing === 0);
  drill.expect(`${differing} orders are not as acknowledged`, differing === 0);
  drill.expect(`${disagreeing} animals disagree with their orders`, disagreeing === 0);
  drill.expect(`no other answers (${journal.wrong.slice(0, 3).join('; ') || 'none'})`, journal.wrong.length === 0);
});
