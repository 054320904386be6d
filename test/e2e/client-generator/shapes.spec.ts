import { beforeAll, describe, expect, it } from '@jest/globals';
import { ANSWER_SHAPES } from './answer-shapes.js';
import { documentOf } from './documents.js';
import { type Answer, scriptedServer } from '../support/scripted-server.js';
import { compiledClient } from './generated-client.js';
import { MISTAKES, REQUEST_SHAPES } from './request-shapes.js';
import { components } from './shape.js';

const SHAPES = [...REQUEST_SHAPES, ...ANSWER_SHAPES];

describe('A generated client', () => {
  const shapes = SHAPES.map(([, shape]) => shape);
  let compiled: Awaited<ReturnType<typeof compiledClient>>;
  beforeAll(async () => {
    compiled = await compiledClient(documentOf(shapes, components), shapes, MISTAKES);
  }, 120_000);

  it.each(SHAPES)('handles %s', async (_, shape) => {
    const answered = typeof shape.answered === 'string' ? [{ body: shape.answered }] : shape.answered;
    const server = await scriptedServer(answered ?? []);
    try {
      const store = new compiled.AnimalStore({ baseUrl: server.baseUrl, apiKey: 'key', retries: 0 });
      expect(await compiled.uses[shapes.indexOf(shape)]!(store)).toEqual(shape.value);
      const { headers, body } = server.received[0]!;
      if (shape.sent) expect(server.received.map(({ line }) => line)).toEqual([shape.sent].flat());
      for (const [name, value] of Object.entries(shape.headers ?? {})) expect(headers[name]).toBe(value);
      if (shape.body !== undefined) expect(body).toBe(shape.body);
      if (shape.body === '') expect(headers['content-type']).toBeUndefined();
    } finally {
      await server.stop();
    }
  });

  describe('refuses', () => {
    const outcome = async (call: (store: never) => Promise<unknown>, answer: Answer) => {
      const server = await scriptedServer([answer]);
      try {
        const store = new compiled.AnimalStore({ baseUrl: server.baseUrl, apiKey: 'key', retries: 0 });
        const failure: unknown = await call(store as never).catch((error: unknown) => error);
        return { failure, requests: server.received.length };
      } finally {
        await server.stop();
      }
    };

    it.each(['', '.', '..'])('a path that would reach another operation, with "%s"', async (part) => {
      const call = (store: { getPart(...path: unknown[]): Promise<unknown> }) =>
        store.getPart(7n, part, 'red');
      const { failure, requests } = await outcome(call, { status: 204 });
      expect(failure).toEqual(new TypeError(`A path cannot contain "${part}".`));
      expect(requests).toBe(0);
    });

    it.each([
      ['no body where one is documented', 'nullable', { status: 204 }],
      ['an empty body where one is documented', 'nullable', { status: 200 }],
      ['a page of a proxy where none is documented', 'listOrders', { body: '<html>Log in</html>' }],
      ['an empty failure', 'listOrders', { status: 502 }],
    ])('%s', async (_, operation, answer: Answer) => {
      const call = (store: Record<string, () => Promise<unknown>>) => store[operation]!();
      const { failure } = await outcome(call, answer);
      expect(failure).toMatchObject({ code: 'unreadable_answer', status: answer.status ?? 200 });
    });

    it('a list whose next page nothing names', async () => {
      const call = async (store: { allNamesOf(id: bigint, query: object): AsyncIterable<string> }) => {
        for await (const name of store.allNamesOf(7n, { from: 'a' })) expect(name).toBe('a');
      };
      const { failure } = await outcome(call, { body: '["a"]' });
      expect(failure).toEqual(expect.objectContaining({ message: expect.stringContaining('no Link') }));
    });
  });
});
