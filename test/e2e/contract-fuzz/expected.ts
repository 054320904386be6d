import { expect } from '@jest/globals';
import type { Answer } from '../support/client.js';
import { type Animal, exact } from './catalogue.js';
import type { Operation } from './document.js';
import type { Sent } from './requests.js';
import type { World } from './world.js';

/** Sends a valid request, and expects the answer that the model predicts. */
export async function expectAccepted(world: World, operation: Operation, sent: Sent): Promise<void> {
  const expectedOf = EXPECTED[operation.id];
  if (!expectedOf) throw new Error(`Add the expected answer of ${operation.id} to EXPECTED in expected.ts`);
  await expectedOf(world, operation, sent, await world.send(sent));
}

/** Sends an invalid request, and expects the documented error. */
export async function expectRefused(
  world: World,
  operation: Operation,
  sent: Sent,
  code: string,
): Promise<void> {
  const documented = operation.refusals.get(code);
  if (!documented) throw new Error(`The document does not list ${code} for ${operation.id}`);
  const { status, text } = await world.send(sent);
  const body = exact(text) as Record<string, unknown>;
  expect({ status, body }).toEqual({
    status: documented.status,
    body: { code, message: expect.any(String), status: BigInt(documented.status) },
  });
}

/** Expects that the service stores the same animals as the model. */
export async function expectUnchanged(world: World): Promise<void> {
  await expectWalk(world, { method: 'GET', path: '/v1/pets?limit=100', headers: {}, says: {} });
}

/** Follows the page links, and expects every matching animal exactly once. */
export async function expectWalk(world: World, sent: Sent): Promise<void> {
  const seen: Animal[] = [];
  const expected = world.catalogue.all(sent.says);
  for (let path: string | undefined = sent.path; path !== undefined;) {
    const answer = await world.get(path);
    expect(answer.status).toBe(200);
    seen.push(...(exact(answer.text) as Animal[]));
    if (seen.length > expected.length) break;
    path = links(answer)['next'];
  }
  expect(seen).toEqual(expected);
}

type Expected = (world: World, operation: Operation, sent: Sent, answer: Answer) => Promise<void> | void;

const EXPECTED: Readonly<Record<string, Expected>> = {
  createPet({ catalogue }, { success }, { says }, { status, text, headers }) {
    if (status !== success) throw new Error(`Answered ${status} ${text}`);
    const animal = exact(text) as Animal;
    expect(animal).toEqual({ ...says, id: animal['id'] });
    expect(headers['location']).toBe(`/v1/pets/${animal['id']}`);
    catalogue.add(animal);
  },

  listPets({ catalogue }, { success }, { says }, answer) {
    const { items, hasMore } = catalogue.page(says);
    const body = exact(answer.text) as Animal[];
    expect({ status: answer.status, body }).toEqual({ status: success, body: items });
    const { first, next } = links(answer);
    expect(meaningOf(first)).toEqual(wordsOf({ ...says, after: undefined }));
    expect(next && meaningOf(next)).toEqual(
      hasMore ? wordsOf({ ...says, after: items.at(-1)?.['id'] }) : undefined,
    );
  },

  getPet({ catalogue }, { success, refusals }, { says }, { status, text }) {
    const animal = catalogue.find(says['petId']);
    const body = exact(text) as Record<string, unknown>;
    if (animal) expect({ status, body }).toEqual({ status: success, body: animal });
    else
      expect({ status, code: body['code'] }).toEqual({
        status: refusals.get('not_found')?.status,
        code: 'not_found',
      });
  },
};

/** The targets of a Link header by relation. */
function links({ headers }: Answer): Record<string, string | undefined> {
  const found = String(headers['link']).matchAll(/<([^>]*)>; rel="([a-z-]+)"/g);
  return Object.fromEntries([...found].map(([, target, relation]) => [relation, target]));
}

function meaningOf(target = ''): Record<string, string> {
  return Object.fromEntries(new URL(target, 'http://localhost').searchParams);
}

function wordsOf(says: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(says).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
