import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WaitingPlaces } from '../common/waiting-places.js';
import type { Transactions } from '../database/transactions/transactions.js';
import type { AnswerRecord, AnswerRecords } from './answer-records.js';
import { RecordedAnswers } from './recorded-answers.js';

const request = {
  method: 'DELETE',
  url: '/v1/toys/1',
  headers: { 'idempotency-key': 'once' },
  raw: { rawHeaders: ['Idempotency-Key', 'once'] },
  caller: { id: 1n, load: {} },
  routeOptions: { config: {} },
} as unknown as FastifyRequest;

let stored: AnswerRecord[];
let answers: RecordedAnswers;
let reply: FastifyReply;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  stored = [];
  const records = {
    find: async () => undefined,
    companionOf: (_digest: string, answer: AnswerRecord) => answer,
    insert: async (answer: AnswerRecord) => void stored.push(answer),
  } as unknown as AnswerRecords;
  answers = new RecordedAnswers(records, {} as Transactions, new WaitingPlaces(1));
  reply = { statusCode: 204, getHeader: () => undefined, removeHeader: () => {} } as unknown as FastifyReply;
});
afterEach(() => void jest.useRealTimers());

it('An answer is recorded', async () => {
  await answers.answer(request, reply, async () => undefined);
  expect(stored).toMatchObject([{ status: 204 }]);
});

it('An answer that comes after its request was refused is not recorded: its reply has the status of the refusal', async () => {
  let succeed!: () => void;
  const answer = answers.answer(request, reply, () => new Promise<void>((resolve) => (succeed = resolve)));
  const refused = answer.catch((error: Error) => error.message);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await refused).toContain('the outcome is unknown');
  reply.statusCode = 503;
  succeed();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(stored).toEqual([]);
});
