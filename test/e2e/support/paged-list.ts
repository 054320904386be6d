import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Identified } from './additions.js';
import { UNKNOWN } from './client.js';
import { describeInside } from './deployment.js';
import { expectAnswer, expectError } from './expectations.js';
import { insist } from './insist.js';
import { type Service, startService } from './service.js';

interface PagedList {
  path: string;
  /** The text that orders the list; the id if there is none. */
  by?: string;
  /** The time by which the latest is first. */
  latestBy?: string;
  /** Adds this many items to the list, in its order. */
  add: (service: Service, count: number) => Promise<Identified[]>;
}

const LIMIT = 'an integer from 1 to 100';
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';

/** Shared tests of every list: limits, page links, positions, and complete iteration under concurrent writes. */
export function itIsPaged(list: PagedList): void {
  describe('is paged', () => {
    describeInside('with 25 items', () => {
      itCutsPages(list);
    });
    describe('refuses', () => {
      itRefusesOtherParameters(list);
    });
    describeInside('under concurrent writes', () => {
      itIsWalkedWhole(list);
    });
  });
}

/** Reads all pages of a list by following its `next` links. */
export async function walk<T extends Identified>(
  service: Service,
  start: string,
  between: () => Promise<unknown>,
): Promise<T[]> {
  const seen: T[] = [];
  for (let next: string | undefined = start; next;) {
    const path = next;
    const answer = await insist(() => service.get(path));
    expect(answer.status).toBe(200);
    seen.push(...(answer.json as T[]));
    next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    await between();
  }
  return seen;
}

/** The value of `after` for what follows an item, and for the first and the last page. */
function cursors({ by = 'id', latestBy }: PagedList) {
  if (latestBy !== undefined) {
    const of = (item: Identified | undefined) => {
      const { [latestBy]: time, id } = item as unknown as Record<string, string>;
      return `${Date.parse(time!)}_${id}`;
    };
    return { of, least: '999999999999999_0', greatest: '-99999999999999_0' };
  }
  const of = (item: Identified | undefined) =>
    encodeURIComponent(String((item as unknown as Record<string, unknown>)[by]));
  return by === 'id'
    ? { of, least: '-9223372036854775808', greatest: '9223372036854775807' }
    : { of, least: '!', greatest: '\u{10ffff}' };
}

function itCutsPages(list: PagedList): void {
  const { path, add } = list;
  const service = ownService();
  const { of, least, greatest } = cursors(list);
  let items: Identified[];
  beforeAll(async () => {
    items = await add(service(), 25);
  });
  const link = (answer: { headers: Record<string, unknown> }) => answer.headers['link'];

  it('returns an array of the first 20 items in order', async () => {
    const answer = await service().get(path);
    expectAnswer(answer, 200, items.slice(0, 20));
    expect(link(answer)).toBe(`<${path}>; rel="first", <${path}?after=${of(items[19])}>; rel="next"`);
  });

  it.each([1, 7, 24])('returns at most limit items: %d', async (limit) => {
    const answer = await service().get(`${path}?limit=${limit}`);
    expectAnswer(answer, 200, items.slice(0, limit));
    expect(link(answer)).toBe(
      `<${path}?limit=${limit}>; rel="first", <${path}?limit=${limit}&after=${of(items[limit - 1])}>; rel="next"`,
    );
  });

  it.each([25, 100])('has no next link on the last page: limit %d', async (limit) => {
    const answer = await service().get(`${path}?limit=${limit}`);
    expectAnswer(answer, 200, items);
    expect(link(answer)).toBe(`<${path}?limit=${limit}>; rel="first"`);
  });

  it('continues after any value, even if no item has it', async () => {
    expectAnswer(await service().get(`${path}?after=${of(items[19])}`), 200, items.slice(20));
    expectAnswer(await service().get(`${path}?limit=1&after=${least}`), 200, items.slice(0, 1));
  });

  it.each(['the last', 'the greatest'])('returns an empty page after %s', async (which) => {
    const after = which === 'the last' ? of(items.at(-1)) : encodeURIComponent(greatest);
    const answer = await service().get(`${path}?after=${after}`);
    expectAnswer(answer, 200, []);
    expect(link(answer)).toBe(`<${path}>; rel="first"`);
  });

  it('answers HEAD like GET without a body', async () => {
    const get = await service().get(path);
    const head = await service().call('HEAD', path, {
      headers: { authorization: `Bearer ${service().key}` },
    });
    expect({ status: head.status, body: head.text }).toEqual({ status: 200, body: '' });
    expect(link(head)).toBe(link(get));
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
}

function itRefusesOtherParameters({ path, by, latestBy }: PagedList): void {
  const service = ownService();
  const notAnId = [
    ['after=x', 'after', INT64],
    ['after=', 'after', INT64],
    ['after=-0', 'after', INT64],
    ['after=9223372036854775808', 'after', INT64],
  ];
  const notAPosition = [
    '',
    'x',
    '1',
    '1_',
    '1_-1',
    '1_1_1',
    '-100000000000000_0',
    '0_1000000000000000000',
  ].map((value) => [`after=${value}`, 'after', 'the value of a link to the next page']);

  it.each([
    ['limit=0', 'limit', LIMIT],
    ['limit=101', 'limit', LIMIT],
    ['limit=-1', 'limit', LIMIT],
    ['limit=', 'limit', LIMIT],
    ['limit', 'limit', LIMIT],
    ['limit=ten', 'limit', LIMIT],
    ['limit=1.0', 'limit', LIMIT],
    ['limit=0x10', 'limit', LIMIT],
    ['limit=1e1', 'limit', LIMIT],
    ['limit=+5', 'limit', LIMIT],
    ['limit=%205', 'limit', LIMIT],
    ['limit=05', 'limit', LIMIT],
    ['limit=5&limit=5', 'limit', LIMIT],
    ['limit=99999999999999999999', 'limit', LIMIT],
    ...(latestBy === undefined ? [] : notAPosition),
    ...((by ?? latestBy) === undefined ? notAnId : []),
  ])('%s', async (query, name, expected) => {
    const answer = await service().get(`${path}?${query}`);
    expectError(answer, 'invalid_parameter', `The parameter "${name}" must be ${expected}.`);
  });

  it.each(['Limit=5', 'limit[]=5', '__proto__=1', 'constructor=1', '=1', 'access_token=x'])(
    'the unknown parameter in %s',
    async (query) => {
      expectError(await service().get(`${path}?${query}`), 'unknown_parameter');
    },
  );
}

function itIsWalkedWhole({ path, by, latestBy, add }: PagedList): void {
  const service = ownService();

  it('iteration yields every item that existed at its start exactly once', async () => {
    const before = await add(service(), 60);
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) await add(service(), 1).catch(ignoreUnknown);
    });
    // Waits for the writers to log progress between two pages, rather than for time to pass.
    const { log } = service();
    const added = async () => {
      const { length } = log;
      while (log.length < length + 8) await new Promise((resolve) => setImmediate(resolve));
    };
    let pages = 0;
    const seen = await walk(service(), `${path}?limit=7`, async () => {
      if (++pages < 12) await added();
      else writing = false;
    });
    await Promise.all(writers);

    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    if ((by ?? latestBy) === undefined)
      expect(ids).toEqual(ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))));
    expect(seen.slice(0, before.length)).toEqual(before);
    expect(seen.length).toBeGreaterThan(before.length);
  });
}

/** Starts a separate service, because these tests count all items. */
function ownService(): () => Service {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  return () => service;
}

/** On a busy machine the outcome of a create may remain unknown. */
function ignoreUnknown(error: Error): void {
  if (!error.message.includes(UNKNOWN)) throw error;
}
