import { setTimeout as delay } from 'node:timers/promises';
import { succeeded } from './answers.mjs';
import { query } from './postgres.mjs';
import { requestText } from './raw-client.mjs';

const SNAPSHOT_EVERY_MS = 50;

/** One statement, so one snapshot. */
const COUNT_DISAGREEMENTS = `
  SELECT count(*)::int AS wrong
  FROM pets LEFT JOIN (
    SELECT pet_id, count(*) AS orders, bool_or(complete) AS complete FROM orders GROUP BY pet_id
  ) AS _ ON pet_id = id
  WHERE orders > 1
    OR status IS DISTINCT FROM CASE WHEN complete THEN 'sold' WHEN NOT complete THEN 'pending' ELSE 'available' END`;

/** Looks for disagreements until `stop()`. */
export function takeSnapshots(drill, url) {
  const snapshots = { taken: 0, wrong: 0 };
  let isTaking = true;
  drill.defer(() => (isTaking = false));
  const taking = (async () => {
    for (; isTaking; await delay(SNAPSHOT_EVERY_MS)) {
      const [row] = await query(url, COUNT_DISAGREEMENTS).catch(() => []); // PostgreSQL is down
      if (!row) continue;
      snapshots.taken++;
      if (row.wrong > 0) snapshots.wrong++;
    }
  })();
  snapshots.stop = () => ((isTaking = false), taking);
  return snapshots;
}

/** Like COUNT_DISAGREEMENTS, through the interface. */
export function disagreements({ pets, orders }) {
  const orderOf = new Map(orders.map((order) => [order.petId, order]));
  const statusOf = (order) => (order ? (order.complete ? 'sold' : 'pending') : 'available');
  const wrong = pets.filter(({ id, status }) => status !== statusOf(orderOf.get(id))).length;
  return wrong + orders.length - orderOf.size;
}

export async function readAll(client, key) {
  return {
    pets: await readList(client, key, '/v1/pets'),
    orders: await readList(client, key, '/v1/store/orders'),
  };
}

async function readList(client, key, path) {
  const rows = [];
  for (let after = ''; ; after = `&after=${rows.at(-1).id}`) {
    const page = await decided(client, requestText('GET', `${path}?limit=100${after}`, { key }));
    if (!succeeded(page)) throw new Error(`Reading ${path} failed: ${page.status || page.why}.`);
    const found = JSON.parse(page.body);
    rows.push(...found);
    if (found.length < 100) return rows;
  }
}

/** Sends a request again while it is refused with 503, collecting these answers. */
export async function decided(client, text, refusals = []) {
  for (;;) {
    const answer = await client.ask(text);
    if (answer.status !== 503) return answer;
    refusals.push(answer);
  }
}
