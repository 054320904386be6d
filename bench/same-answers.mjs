import { deepStrictEqual } from 'node:assert/strict';
import { bearer } from '../drills/support/http.mjs';

const PATHS = ['/v1/pets', '/v1/pets?limit=3&after=40', '/v1/pets?limit=100&status=sold', '/v1/pets/7'];
const REFUSED = ['/v1/pets?limit=101', '/v1/pets?limit=x', '/v1/pets?status=gone'];
const NEW = { name: 'Rex', categoryId: 7, status: 'sold' };

/** Requires equal answers from all contestants, so that the bench compares the same work. */
export async function requireSameAnswers(contestants, key) {
  const [first, ...others] = contestants;
  for (const path of PATHS) {
    const expected = await read(first, path, key);
    for (const other of others) {
      deepStrictEqual(await read(other, path, key), expected, `${other.title} answers ${path} differently`);
    }
  }
  for (const contestant of contestants) {
    for (const path of REFUSED) await requireStatus(contestant, path, 400, { headers: bearer(key) });
    await requireStatus(contestant, '/v1/pets', 401, {});
    await requireStatus(contestant, '/v1/pets', 401, { headers: bearer(`${key}x`) });
    await requireStatus(contestant, '/v1/pets', 400, post(key, { name: '', categoryId: 'x' }));
    await requireCreate(contestant, key);
  }
}

async function read({ origin }, path, key) {
  const answer = await fetch(`${origin}${path}`, { headers: bearer(key) });
  const next = /<[^>]*[?&]after=(\d+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '');
  return { status: answer.status, body: await answer.json(), next: next?.[1] };
}

async function requireStatus({ origin, title }, path, status, options) {
  const answer = await fetch(`${origin}${path}`, options);
  await answer.arrayBuffer();
  if (answer.status !== status) {
    throw new Error(`${title} answers ${path} with ${answer.status}, not with ${status}.`);
  }
}

async function requireCreate({ origin, title }, key) {
  const answer = await fetch(`${origin}/v1/pets`, post(key, NEW));
  const { id, ...created } = await answer.json();
  deepStrictEqual([answer.status, created], [201, NEW], `${title} creates something else`);
  if (!answer.headers.get('location')?.endsWith(`/pets/${id}`))
    throw new Error(`${title} sends no Location header.`);
}

const post = (key, body) => ({
  method: 'POST',
  headers: { ...bearer(key), 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
