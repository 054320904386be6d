import { randomInt } from 'node:crypto';
import { insist } from './animal-writers.mjs';

/**
 * Orders an animal twice at once, of which one must win; then changes, completes or deletes the order. Each request is
 * repeated until it is decided, so that what must be stored is known.
 */
export async function orderAnimals(store) {
  const { journal, name } = store;
  const decide = async (expected, ...request) => {
    const answer = await insist(store, ...request);
    if (!expected.includes(answer.status)) journal.wrong.push(`${request[0]}: ${answer.status} ${answer.text}`);
    return answer;
  };
  while (!journal.isEnding) {
    const animal = { name: `wanted by ${name}`, categoryId: 1, status: 'available' };
    const petId = JSON.parse((await decide([201], 'POST', '/v1/pets', animal)).text).id;
    for (let isSold = false; !isSold && !journal.isEnding;) {
      const order = () => decide([201, 409], 'POST', '/v1/store/orders', { petId, quantity: randomInt(1, 1_000) });
      const won = (await Promise.all([order(), order()])).filter(({ status }) => status === 201);
      if (won.length !== 1) journal.wrong.push(`${won.length} of two orders won`);
      if (won.length === 0) break;
      const { id, quantity } = JSON.parse(won[0].text);
      const path = `/v1/store/orders/${id}`;
      const known = { petId, quantity, complete: false };
      journal.orders.set(id, known);
      known.quantity = JSON.parse(
        (await decide([200], 'PATCH', path, { quantity: randomInt(1, 1_000) })).text,
      ).quantity;
      isSold = randomInt(3) === 0;
      if (isSold) await decide([200], 'PATCH', path, { complete: true });
      else await decide([204], 'DELETE', path);
      known.complete = isSold;
      known.isDeleted = !isSold;
    }
  }
}

export function compareOrders(journal, orders, pets) {
  const rows = new Map(orders.map((row) => [Number(row.id), row]));
  const differing = [...journal.orders].filter(([id, { isDeleted, petId, quantity, complete }]) => {
    const row = rows.get(id);
    if (isDeleted || !row) return Boolean(row) !== !isDeleted;
    return Number(row.pet_id) !== petId || row.quantity !== quantity || row.complete !== complete;
  });
  const ofPet = new Map(orders.map(({ pet_id, complete }) => [pet_id, complete ? 'sold' : 'pending']));
  const disagreeing = pets.filter(({ id, status }) => status !== (ofPet.get(id) ?? 'available'));
  return { differing: differing.length, disagreeing: disagreeing.length };
}
