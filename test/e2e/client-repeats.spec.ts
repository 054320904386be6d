import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AnimalStore, ApiError, type Settings } from '../../clients/typescript/src/client.js';

const REX = { name: 'Rex', categoryId: 7n } as const;

/** What one attempt meets: an answer, a lost connection, or silence until the client gives up. */
type Step = (signal: AbortSignal) => Response | Promise<Response>;

const added: Step = () => new Response('{"id":1,"name":"Rex","categoryId":7}', { status: 201 });
const list: Step = () => new Response('[]');
const lost: Step = () => Promise.reject(new TypeError('fetch failed'));
const unreachable: Step = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
const silence: Step = () => new Promise(() => {});
const refusal =
  (status: number, headers: Record<string, string> = {}): Step =>
  () =>
    new Response(JSON.stringify({ code: `code_${status}`, message: 'Not now.', status }), {
      status,
      headers,
    });
const proxy: Step = () => new Response('<html>', { status: 502 });
const cut: Step = () => new Response('{"id":1', { status: 201 });

/** A client that meets these steps, one in each attempt; the last one stays. */
function setUp(steps: Step[], settings: Partial<Settings> = {}) {
  const sent: Headers[] = [];
  const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(new Headers(init?.headers));
    const step = (steps.length > 1 ? steps.shift() : steps[0]) as Step;
    return step(init?.signal as AbortSignal);
  };
  const client = new AnimalStore({
    baseUrl: 'http://nowhere.invalid/v1',
    apiKey: 'key',
    fetch: send,
    ...settings,
  });
  return { client, sent, keys: () => sent.map((headers) => headers.get('idempotency-key')) };
}

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const failure: unknown = await call.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  return failure as ApiError;
}

beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void jest.restoreAllMocks());

describe('The TypeScript client repeats', () => {
  it('a change until it succeeds, with one key for all attempts, and another for the next call', async () => {
    const { client, keys } = setUp([lost, refusal(500), refusal(503), added]);
    expect(await client.createPet(REX)).toEqual({ id: 1n, ...REX });
    await client.createPet(REX);
    const [key, ...others] = keys();
    expect(key).toMatch(/^\d+-\d+$/);
    expect(others.slice(0, 3)).toEqual([key, key, key]);
    expect(others[3]).not.toBe(key);
  });

  it('a change with the key of the caller, and a read without one', async () => {
    const { client, keys } = setUp([lost, added, lost, list]);
    await client.createPet(REX, { idempotencyKey: 'mine' });
    await client.listPets({}, { idempotencyKey: 'mine' });
    expect(keys()).toEqual(['mine', 'mine', null, null]);
  });

  it('what timed out', async () => {
    const { client, sent } = setUp([silence, list], { timeoutMs: 100 });
    await client.listPets();
    expect(sent).toHaveLength(2);
  });

  it('after Retry-After', async () => {
    const { client } = setUp([refusal(429, { 'retry-after': '1' }), list]);
    const start = performance.now();
    await client.listPets();
    expect(performance.now() - start).toBeGreaterThanOrEqual(1_090);
  });

  it('with the current API key', async () => {
    const keys = ['first', 'second'];
    const { client, sent } = setUp([lost, list], { apiKey: async () => keys.shift() ?? '' });
    await client.listPets();
    expect(sent.map((headers) => headers.get('authorization'))).toEqual(['Bearer first', 'Bearer second']);
  });

  it('until the deadline, and not beyond it', async () => {
    const { client, sent } = setUp([refusal(503)], { deadlineMs: 700 });
    const start = performance.now();
    expect(await failureOf(client.listPets())).toMatchObject({ code: 'code_503', status: 503 });
    expect(performance.now() - start).toBeLessThan(700);
    expect(sent.length).toBeGreaterThan(1);
    const hanging = setUp([silence], { deadlineMs: 50 }).client.listPets();
    const cause = expect.objectContaining({ name: 'TimeoutError' });
    expect(await failureOf(hanging)).toMatchObject({ code: 'no_answer', cause });
  });

  it('nothing that would have to wait beyond the deadline', async () => {
    const { client, sent } = setUp([refusal(503, { 'retry-after': '30' })]);
    expect(await failureOf(client.listPets())).toMatchObject({ status: 503, retryAfter: 30 });
    expect(sent).toHaveLength(1);
  });

  it('at most the number of times that a call or the settings allow', async () => {
    const { client, sent } = setUp([lost], { retries: 1 });
    await failureOf(client.listPets());
    expect(sent).toHaveLength(2);
    await failureOf(client.listPets({}, { retries: 0 }));
    expect(sent).toHaveLength(3);
  });

  const final = [...[302, 400, 401, 404, 409, 410, 501].map((status) => refusal(status)), cut];
  it.each(final)('nothing that cannot succeed (%#)', async (step) => {
    const { client, sent } = setUp([step]);
    await failureOf(client.createPet(REX));
    expect(sent).toHaveLength(1);
  });

  it('nothing that cannot be sent', async () => {
    const { client, sent } = setUp([added], { apiKey: () => Promise.reject(new Error('no vault')) });
    expect(await failureOf(client.createPet(REX))).toMatchObject({ code: 'not_sent', outcome: 'not done' });
    await expect(client.listPets({}, { requestId: 'a\nb' })).rejects.toMatchObject({ name: 'TypeError' });
    expect(sent).toEqual([]);
  });
});

describe('The TypeScript client says of a change that failed', () => {
  it.each<['not done' | 'unknown', string, Step[]]>([
    ['not done', 'refused', [refusal(409)]],
    ['not done', 'not let through', [refusal(429), refusal(408), refusal(429)]],
    ['not done', 'without a connection', [unreachable]],
    ['unknown', 'answered 503', [refusal(503)]],
    ['unknown', 'answered 502 by a proxy', [proxy]],
    ['unknown', 'answered with a success that cannot be read', [cut]],
    ['unknown', 'cut off before an answer', [lost]],
    ['unknown', 'timed out', [silence]],
    ['unknown', 'lost once, then refused', [lost, refusal(429), refusal(409)]],
  ])('%s: %s', async (outcome, _, steps) => {
    const { client, keys } = setUp(steps, { timeoutMs: 50, retries: steps.length - 1 });
    const failure = await failureOf(client.createPet(REX));
    expect(failure.outcome).toBe(outcome);
    expect(new Set([failure.idempotencyKey, ...keys()]).size).toBe(1);
  });

  it('not done, if it was a read', async () => {
    expect(await failureOf(setUp([lost], { retries: 0 }).client.listPets())).toMatchObject({ outcome: 'not done' });
  });
});

describe('The TypeScript client ends a call with the reason of its signal', () => {
  it.each([
    ['before it', list, 0],
    ['while it waits for an answer', silence, 50],
    ['while it waits for a repetition', refusal(503, { 'retry-after': '5' }), 50],
  ])('%s', async (_, step, milliseconds) => {
    const { client } = setUp([step]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const abort = (): void => controller.abort(reason);
    if (milliseconds === 0) abort();
    else setTimeout(abort, milliseconds);
    await expect(client.listPets({}, { signal: controller.signal })).rejects.toBe(reason);
  });
});
