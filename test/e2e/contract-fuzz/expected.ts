import { expect } from '@jest/globals';
import type { Answer } from '../support/client.js';
import { exact, type Item } from './catalogue.js';
import { collectionOf, type Operation, type Schema } from './document.js';
import { type FeatureRules, RULES } from './feature-rules.js';
import type { Sent } from './requests.js';
import { isPredictable, type Kind, kindOf } from './resources.js';
import type { Meaning } from './values.js';
import type { World } from './world.js';

/** Sends a valid request, and expects the answer that the model predicts. */
export async function expectAccepted(world: World, operation: Operation, sent: Sent): Promise<void> {
  const kind = kindOf(operation);
  const answer = await world.send(sent);
  const rules = RULES[collectionOf(operation.path)];
  if (rules && CHANGES.has(kind)) {
    await expectRuled(world, operation, sent, answer, rules);
    return;
  }
  if (isRuled(world, operation, sent, answer)) return; // nothing changed, which the next look at the data checks
  await EXPECTED[kind](world, operation, sent, answer);
  if (kind === 'other') await world.refresh();
  else if (answer.status < 400 && CHANGES.has(kind)) await world.refreshRelated(operation);
}

const CHANGES: ReadonlySet<Kind> = new Set(['create', 'update', 'delete']);

/** The model knows the rules of the feature, and so every answer and every change. */
async function expectRuled(
  world: World,
  operation: Operation,
  sent: Sent,
  answer: Answer,
  rules: FeatureRules,
): Promise<void> {
  const before = itemOf(world, operation, sent);
  const code = rules.refusal(world, operation, sent, before);
  if (code !== undefined) {
    expectError(operation, answer, code);
    return;
  }
  await EXPECTED[kindOf(operation)](world, operation, sent, answer);
  if (answer.status >= 400) return;
  const items = world.catalogue(collectionOf(operation.path));
  const id = (before ?? (exact(answer.text) as Item))['id'];
  rules.follow(world, before, items.find(id));
}

/**
 * Refusals by rules that no schema can say: a documented conflict, and a reference to something that is not there. A
 * resource that is missing takes precedence.
 */
function isRuled(world: World, operation: Operation, { says }: Sent, { status, text }: Answer): boolean {
  if (status !== 409 && status !== 400) return false;
  const { code } = exact(text) as { code: string };
  if (!operation.refusals.has(code)) return false;
  if (status === 409) return true;
  return Object.entries(operation.body?.properties ?? {}).some(
    ([name, { refersTo }]) =>
      refersTo !== undefined && says[name] !== undefined && !world.catalogue(refersTo).find(says[name]),
  );
}

/** Faults of a body, which may be looked for before or after the resource. */
const OF_BODY: ReadonlySet<string> = new Set([
  'invalid_json',
  'missing_field',
  'invalid_field',
  'unknown_field',
]);

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
  if (OF_BODY.has(code) && body['code'] === 'not_found' && !itemOf(world, operation, sent)) return;
  expect({ status, body }).toEqual({
    status: documented.status,
    body: { code, message: expect.any(String), status: BigInt(documented.status) },
  });
}

/** Expects that the service stores the same as the model. */
export async function expectUnchanged(world: World): Promise<void> {
  for (const list of world.operations.filter((operation) => kindOf(operation) === 'list')) {
    expect(await world.readAll(list.path)).toEqual(world.catalogue(list.path).all());
  }
}

/** Follows the page links, and expects every matching item exactly once, in order. */
export async function expectWalk(world: World, operation: Operation, sent: Sent): Promise<void> {
  const seen: Item[] = [];
  const order = await world.orderOf(operation, sent.says['after']);
  const expected = world.catalogue(operation.path).all(sent.says, order);
  for (let path: string | undefined = sent.path; path !== undefined;) {
    const answer = await world.get(path);
    expect(answer.status).toBe(200);
    seen.push(...(exact(answer.text) as Item[]));
    if (seen.length > expected.length) break;
    path = links(answer)['next'];
  }
  expect(seen).toEqual(expected);
}

type Expected = (world: World, operation: Operation, sent: Sent, answer: Answer) => void | Promise<void>;

const EXPECTED: Readonly<Record<Kind, Expected>> = {
  create(world, operation, { says }, answer) {
    const item = bodyOf(answer, operation.success);
    const defaults = Object.entries(operation.body?.properties ?? {}).map(([name, schema]) => [
      name,
      schema.default as Meaning,
    ]);
    expectFields(operation, item, { ...Object.fromEntries(defaults), ...says });
    if (world.operations.some((one) => kindOf(one) === 'get' && collectionOf(one.path) === operation.path)) {
      expect(answer.headers['location']).toBe(`${operation.path}/${item['id'] as bigint}`);
    }
    world.catalogue(operation.path).add(item);
  },

  async list(world, operation, { says }, answer) {
    if (!isPredictable(operation)) {
      expect(answer.status).toBe(operation.success);
      return;
    }
    const order = await world.orderOf(operation, says['after']);
    const { items, hasMore } = world.catalogue(operation.path).page(says, order);
    expect({ status: answer.status, body: exact(answer.text) }).toEqual({
      status: operation.success,
      body: items,
    });
    const { first, next } = links(answer);
    expect(meaningOf(first)).toEqual(wordsOf({ ...says, after: undefined }));
    expect(next && meaningOf(next)).toEqual(
      hasMore ? wordsOf({ ...says, after: order.position(items.at(-1)!) }) : undefined,
    );
  },

  get(world, operation, sent, answer) {
    const item = itemOf(world, operation, sent);
    if (!item) expectMissing(operation, answer);
    else expect(bodyOf(answer, operation.success)).toEqual(item);
  },

  update(world, operation, sent, answer) {
    const item = itemOf(world, operation, sent);
    if (!item) {
      expectMissing(operation, answer);
      return;
    }
    const changed = bodyOf(answer, operation.success);
    const given = Object.entries(sent.says).filter(([name]) => operation.body?.properties?.[name]);
    const wanted = Object.entries({ ...item, ...Object.fromEntries(given) }).filter(
      ([, value]) => value !== null,
    );
    expectFields(operation, changed, Object.fromEntries(wanted));
    world.catalogue(collectionOf(operation.path)).replace(changed);
  },

  delete(world, operation, sent, answer) {
    const item = itemOf(world, operation, sent);
    if (!item) {
      expectMissing(operation, answer);
      return;
    }
    expect({ status: answer.status, text: answer.text }).toEqual({ status: operation.success, text: '' });
    world.catalogue(collectionOf(operation.path)).remove(item['id']);
  },

  other(_world, { success, refusals }, _sent, { status }) {
    expect([success, ...[...refusals.values()].map((refusal) => refusal.status)]).toContain(status);
    expect(status).toBeLessThan(500);
  },
};

/** The item that a request names in its path. */
function itemOf(world: World, { path, pathParameters }: Operation, { says }: Sent): Item | undefined {
  const [parameter] = pathParameters;
  return parameter && world.catalogue(collectionOf(path)).find(says[parameter.name]);
}

function bodyOf({ status, text }: Answer, success: number): Item {
  if (status !== success) throw new Error(`Answered ${status} ${text}`);
  return exact(text) as Item;
}

function expectMissing(operation: Operation, answer: Answer): void {
  expectError(operation, answer, 'not_found');
}

function expectError({ refusals }: Operation, { status, text }: Answer, code: string): void {
  const answered = (exact(text) as { code?: string }).code;
  expect({ status, code: answered }).toEqual({ status: refusals.get(code)?.status, code });
}

/** Expects the fields of a body in the answer. Those that no client can send are the service's own matter. */
function expectFields(
  { body }: Operation,
  answered: Item,
  wanted: Record<string, Meaning | undefined>,
): void {
  const fields = Object.entries(body?.properties ?? {}).filter(
    ([name]) => name in answered || (wanted[name] ?? undefined) !== undefined,
  );
  const compared = (values: Record<string, Meaning | undefined>): object =>
    Object.fromEntries(fields.map(([name, schema]) => [name, comparable(schema, values[name])]));
  expect(compared(answered)).toEqual(compared(wanted));
}

/** Two spellings of the same instant are equal, and 2 is a decimal, too; also within objects and lists. */
function comparable({ type, format, properties = {}, items }: Schema, value: Meaning | undefined): unknown {
  if (Array.isArray(value)) return value.map((item: Meaning) => comparable(items ?? {}, item));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as Record<string, Meaning>);
    return Object.fromEntries(
      members.map(([name, member]) => [name, comparable(properties[name] ?? {}, member)]),
    );
  }
  if (type === 'number' && typeof value === 'bigint') return Number(value);
  return format === 'date-time' && typeof value === 'string' ? new Date(value).toISOString() : value;
}

/** The targets of a Link header by relation. */
export function links({ headers }: Answer): Record<string, string | undefined> {
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
