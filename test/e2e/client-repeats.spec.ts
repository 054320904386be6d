import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  AnimalStore,
  ApiError,
  type CallOptions,
  type Clock,
  type Settings,
} from '../../clients/typescript/src/client.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { type Answer, NOWHERE, scriptedServer, type Step } from './support/scripted-server.js';
import { startService } from './support/service.js';

const REX = { name: 'Rex', categoryId: 7n } as const;
const ADDED: Answer = { status: 201, body: '{"id":1,"name":"Rex","categoryId":7}' };
const LIST: Answer = { body: '[]' };
const refusal = (status: number, retryAfter?: string): Answer => ({
  status,
  body: JSON.stringify({ code: `code_${status}`, message: 'Not now.', status }),
  headers: { ...(retryAfter && { 'retry-after': retryAfter }) },
});

/** Time that passes only while the client waits. */
class VirtualClock implements Clock {
  readonly waits: number[] = [];
  private time = 0;

  /** Each wait lasts longer than asked by this much. */
  constructor(private readonly lateMs = 0) {}

  now(): number {
    return this.time;
  }

  async wait(milliseconds: number): Promise<void> {
    this.waits.push(milliseconds);
    this.time += milliseconds + this.lateMs;
  }
}

const servers: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function setUp(steps: readonly Step[], settings: Partial<Settings> = {}) {
  const server = await scriptedServer(steps);
  servers.push(server);
  const clock = new VirtualClock();
  const { baseUrl, received } = server;
  const client = new AnimalStore({ baseUrl, apiKey: 'key', clock, ...settings });
  const keys = () => received.map(({ headers }) => headers['idempotency-key']);
  return { client, clock, received, keys };
}

/** The first attempt is answered, others never. The answer crosses no network, so that a busy machine does not delay it. */
function withoutNetwork({ status, body, headers }: Answer, settings: Partial<Settings>) {
  const sent = jest
    .fn<typeof fetch>(() => new Promise(() => {}))
    .mockResolvedValueOnce(new Response(body, { status, headers }));
  const baseUrl = 'http://nowhere.invalid/v1';
  const clock = new VirtualClock();
  return { client: new AnimalStore({ baseUrl, apiKey: 'key', clock, fetch: sent, ...settings }), sent };
}

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const failure: unknown = await call.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  return failure as ApiError;
}

describe('The TypeScript client repeats', () => {
  const LOSSES: readonly Step[] = ['cut', 'cut within', refusal(500), refusal(503), refusal(408)];

  it('a change until it succeeds, with one key for all attempts, and another for the next call', async () => {
    const { client, received, keys } = await setUp([...LOSSES, ADDED, ADDED]);
    expect(await client.createPet(REX)).toEqual({ id: 1n, ...REX });
    await client.createPet(REX);
    const [key, ...others] = keys();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(others.slice(0, LOSSES.length)).toEqual(LOSSES.map(() => key));
    expect(others.at(-1)).toMatch(/^[0-9a-f]{32}$/);
    expect(others.at(-1)).not.toBe(key);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set(['{"name":"Rex","categoryId":7}']));
  });

  it('what timed out', async () => {
    const answers = Array.from({ length: 100 }, () => ADDED); // More than one: on a busy machine, these may time out too.
    const { client, keys } = await setUp(['silence', ...answers], { timeoutMs: 100 });
    await client.createPet(REX);
    expect(keys().length).toBeGreaterThan(1);
    expect(new Set(keys()).size).toBe(1);
  });

  it('a PATCH and a DELETE with the key that the caller gives, and a read without one', async () => {
    const order: Answer = { body: '{"id":1,"petId":1,"quantity":2,"complete":false}' };
    const { client, keys } = await setUp(['cut', order, 'cut', { status: 204 }, 'cut', LIST]);
    const options = { idempotencyKey: 'mine' };
    await client.updateOrder(1n, { quantity: 2 }, options);
    await client.deleteOrder(1n, options);
    await client.listPets({}, options);
    expect(keys()).toEqual(['mine', 'mine', 'mine', 'mine', undefined, undefined]);
  });

  it.each<[number, readonly number[]]>([
    [0, [100, 200, 400, 800, 1600, 2500, 2500]],
    [1, [200, 400, 800, 1600, 3200, 5000, 5000]],
  ])('after growing, jittered waits: random %d', async (random, waits) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const { client, clock } = await setUp([...waits.map((): Step => 'cut'), ADDED]);
    await client.createPet(REX);
    expect(clock.waits).toEqual(waits);
  });

  it.each([
    ['3', {}, 3],
    ['Sun, 06 Nov 2033 08:49:40 GMT', { date: 'Sun, 06 Nov 2033 08:49:37 GMT' }, 3],
    ['Sun, 06 Nov 1994 08:49:37 GMT', {}, 0],
    ['soon', {}, 0],
  ])('after Retry-After: %s', async (retryAfter, headers, seconds) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const busy = refusal(503, retryAfter);
    const { client, clock } = await setUp([{ ...busy, headers: { ...busy.headers, ...headers } }, LIST]);
    await client.listPets();
    expect(clock.waits).toEqual([seconds * 1000 + 100]);
  });

  it('with the current API key', async () => {
    const narrow = await startService({ rateLimitPerKey: 1 });
    try {
      let apiKey = narrow.key;
      const wait = async () => {
        apiKey = (await narrow.app.get(KeysService).issue({ name: 'next' })).key;
      };
      const clock = { now: () => 0, wait };
      const baseUrl = `${narrow.origin}/v1`;
      const client = new AnimalStore({ baseUrl, apiKey: () => apiKey, deadlineMs: 90_000, clock });
      await client.listPets();
      expect(await client.createPet(REX)).toMatchObject(REX);
    } finally {
      await narrow.stop();
    }
  });

  it('until the deadline, and not beyond it', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, clock, received } = await setUp(Array<Step>(100).fill(refusal(503)));
    const failure = await failureOf(client.listPets());
    expect(failure).toMatchObject({ code: 'code_503', status: 503 });
    expect(clock.now()).toBeLessThan(30_000);
    expect(clock.now()).toBeGreaterThanOrEqual(25_000);
    expect(received).toHaveLength(clock.waits.length + 1);
  });

  it('nothing that would have to wait beyond the deadline', async () => {
    const { client, clock, received } = await setUp([refusal(503, '30')]);
    expect(await failureOf(client.listPets())).toMatchObject({ status: 503, retryAfter: 30 });
    expect(received).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  it('with 200 ms left before the deadline', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, sent } = withoutNetwork(refusal(429, '9'), { deadlineMs: 9_300 });
    await failureOf(client.createPet(REX));
    expect(sent).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['after a wait as planned', { deadlineMs: 9_299 }],
    ['after a longer wait', { clock: new VirtualClock(60_000) }],
  ])('nothing with less than 200 ms left, but says what it knows: %s', async (_, settings) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, sent } = withoutNetwork(refusal(429, '9'), settings);
    expect(await failureOf(client.createPet(REX))).toMatchObject({ code: 'code_429', outcome: 'not done' });
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('an attempt that hangs no longer than the deadline', async () => {
    const { client, received } = await setUp(['silence'], { deadlineMs: 50, clock: undefined });
    expect(await failureOf(client.listPets())).toMatchObject({
      code: 'no_answer',
      cause: expect.objectContaining({ name: 'TimeoutError' }),
    });
    expect(received.length).toBeLessThanOrEqual(1); // None, if the machine is slow.
  });

  it('at most the number of times that a call or the settings allow', async () => {
    const { client, received } = await setUp([], { retries: 2 });
    await failureOf(client.listPets());
    expect(received).toHaveLength(3);
    await failureOf(client.listPets({}, { retries: 0 }));
    expect(received).toHaveLength(4);
  });

  it.each<[string, Answer]>([
    ...[400, 401, 404, 409, 410, 413, 415].map((status): [string, Answer] => [`${status}`, refusal(status)]),
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['a success that cannot be read', { status: 201, body: '{"id":1' }],
    ['501', { status: 501 }],
  ])('nothing that cannot succeed: %s', async (_, answer) => {
    const { client, received } = await setUp([answer]);
    expect(await failureOf(client.createPet(REX))).toMatchObject({ status: answer.status });
    expect(received).toHaveLength(1);
  });

  it('nothing that cannot be sent', async () => {
    const { client, received } = await setUp([ADDED]);
    await expect(client.createPet(REX, { requestId: 'a\nb' })).rejects.toMatchObject({ name: 'TypeError' });
    await expect(client.createPet(REX, { idempotencyKey: '\u{1f600}' })).rejects.toMatchObject({
      name: 'TypeError',
    });
    const elsewhere = new AnimalStore({ baseUrl: 'localhost', apiKey: 'key' });
    await expect(elsewhere.listPets()).rejects.toMatchObject({ name: 'TypeError' });
    expect(received).toEqual([]);
  });
});

describe('The TypeScript client says of a change that failed', () => {
  it.each<['not done' | 'unknown', string, readonly Step[]]>([
    ['not done', 'refused', [refusal(409)]],
    ['not done', 'not let through', [refusal(429), refusal(408), refusal(429)]],
    ['unknown', 'answered 503', [refusal(503)]],
    ['unknown', 'answered 500', [refusal(500)]],
    ['unknown', 'answered 502 by a proxy', [{ status: 502, body: '<html>' }]],
    ['unknown', 'answered with a success that cannot be read', [{ status: 201, body: '{' }]],
    ['unknown', 'cut off before an answer', ['cut']],
    ['unknown', 'cut off within the answer', ['cut within']],
    ['unknown', 'timed out', ['silence']],
    ['unknown', 'lost once, then refused', ['cut', refusal(429), refusal(409)]],
  ])('%s: %s', async (outcome, _, steps) => {
    const timeoutMs = steps.includes('silence') ? 100 : undefined;
    const { client, keys } = await setUp(steps, { timeoutMs, retries: steps.length - 1 });
    const failure = await failureOf(client.createPet(REX));
    expect(failure.outcome).toBe(outcome);
    expect(new Set([failure.idempotencyKey, ...keys()]).size).toBe(1);
  });

  it.each<Step>(['cut', refusal(500)])('not done, if it was a read: %j', async (step) => {
    const { client } = await setUp([step], { retries: 0 });
    expect(await failureOf(client.listPets())).toMatchObject({ outcome: 'not done' });
  });

  it('not done, if nobody listens', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const clock = new VirtualClock();
    const client = new AnimalStore({ baseUrl: `http://${NOWHERE}`, apiKey: 'key', clock });
    const failure = await failureOf(client.createPet(REX));
    expect(failure).toMatchObject({
      code: 'no_answer',
      message: 'No answer: fetch failed (ECONNREFUSED)',
      outcome: 'not done',
    });
    expect(clock.waits.length).toBeGreaterThan(1);
  });

  it('what the attempts before a missing API key leave open', async () => {
    const apiKey = jest.fn<() => string>().mockReturnValueOnce('key').mockReturnValueOnce('');
    const { client } = await setUp(['cut', ADDED], { apiKey });
    const lost = await failureOf(client.createPet(REX));
    expect(lost).toMatchObject({ code: 'not_sent', outcome: 'unknown' });
    apiKey.mockImplementation(() => {
      throw new Error('The vault is sealed.');
    });
    const never = await failureOf(client.createPet(REX));
    expect(never).toMatchObject({ code: 'not_sent', outcome: 'not done' });
    expect(never.message).toBe('Nothing was sent: The vault is sealed.');
  });
});

describe("The TypeScript client ends a call with the caller's signal", () => {
  const reason = new Error('Changed my mind.');
  const end = async (call: (options: CallOptions) => Promise<unknown>, started: () => boolean) => {
    const caller = new AbortController();
    const failure = call({ signal: caller.signal }).catch((error: unknown) => error);
    while (!started()) await new Promise((resolve) => setImmediate(resolve));
    caller.abort(reason);
    return failure;
  };

  it('before it starts', async () => {
    const { client, received } = await setUp([LIST]);
    await expect(client.listPets({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(received).toEqual([]);
  });

  it('while it is under way', async () => {
    const { client, received } = await setUp(['silence']);
    const call = (options: CallOptions) => client.createPet(REX, options);
    expect(await end(call, () => received.length === 1)).toBe(reason);
  });

  it('while it waits to repeat', async () => {
    let answered = 0;
    const counting = async (...request: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await fetch(...request);
      answered++;
      return answer;
    };
    const { client, received } = await setUp([refusal(503, '20')], { fetch: counting, clock: undefined });
    const call = (options: CallOptions) => client.createPet(REX, options);
    expect(await end(call, () => answered === 1)).toBe(reason);
    expect(received).toHaveLength(1);
  });

  it.each(['apiKey', 'fetch'])('even if "%s" ignores it', async (setting) => {
    const never = jest.fn(() => new Promise<never>(() => undefined));
    const { client } = await setUp([], { [setting]: never });
    const call = (options: CallOptions) => client.listPets({}, options);
    expect(await end(call, () => never.mock.calls.length === 1)).toBe(reason);
  });
});
