import { deepStrictEqual } from 'node:assert/strict';
import { bearer } from '../drills/support/http.mjs';

const PATHS = ['/v1/pets', '/v1/pets?limit=3&after=40', '/v1/pets?limit=100&status=sold', '/v1/pets/7'];
const REFUSED = ['/v1/pets?limit=101', '/v1/pets?limit=x', '/v1/pets?after=x', '/v1/pets?status=gone'];
const ABSENT = '/v1/pets/9007199254740991';
const NEW = { name: 'Rex', categoryId: 7, status: 'sold' };
const WITHOUT_STATUS = { name: 'Réx <&>', categoryId: 7 };
const REFUSED_BODIES = [
  { name: '', categoryId: 7 },
  { name: 'x'.repeat(256), categoryId: 7 },
  { categoryId: 7 },
  { name: 'Rex' },
  { name: 'Rex', categoryId: 'x' },
  { ...NEW, status: 'gone' },
];

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
    await requireStatus(contestant, ABSENT, 404, { headers: bearer(key) });
    for (const body of REFUSED_BODIES) await requireStatus(contestant, '/v1/pets', 400, post(key, body));
    await requireCreate(contestant, key, NEW);
    await requireCreate(contestant, key, WITHOUT_STATUS);
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
    const request = `${options.method ?? 'GET'} ${path} ${options.body ?? ''}`.trim();
    throw new Error(`${title} answers ${request} with ${answer.status}, not with ${status}.`);
  }
}

async function requireCreate({ origin, title }, key, pet) {
  const answer = await fetch(`${origin}/v1/pets`, post(key, pet));
  const { id, ...created } = await answer.json();
  deepStrictEqual([answer.status, created], [201, pet], `${title} creates something else`);
  if (!answer.headers.get('location')?.endsWith(`/pets/${id}`))
    throw new Error(`${title} sends no Location header.`);
}

const post = (key, body) => ({
  method: 'POST',
  headers: { ...bearer(key), 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
