import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { addPet, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

describeInside('Two replicas', () => {
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    one = await startService({ rateLimitPerKey: 0 });
    other = await startService({ rateLimitPerKey: 0 }, undefined, [], one);
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  /** Those that wait too long for an equal request are told to come again. */
  const send = async (replica: Service, ...request: Parameters<Service['post']>): Promise<Answer> => {
    const answer = await replica.post(...request);
    return answer.status === 503 ? send(replica, ...request) : answer;
  };
  /** Sends it to both in turn, all at once. */
  const sendAll = (times: number, path: string, body: object, headers = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, (_, i) => send(i % 2 ? other : one, path, body, { headers })));
  const shown = ({ status, text, headers: { location = '' } }: Answer) => [status, location, text].join(' ');

  it.each([
    ['animals', '/v1/pets', async () => ({ name: `Once ${randomUUID()}`, categoryId: 1 })],
    ['orders', '/v1/store/orders', async () => ({ petId: (await addPet(one)).id })],
  ])('carry out equal requests under one key once, and give one answer: %s', async (_, path, bodyOf) => {
    for (let round = 0; round < 5; round++) {
      const headers = { 'idempotency-key': randomUUID() };
      const answers = await sendAll(10, path, await bodyOf(), headers);
      expect([...new Set(answers.map(shown))]).toEqual([expect.stringMatching(/^201 \/v1\//)]);
      const made = answers.filter(({ headers: { 'idempotency-replayed': replayed } }) => !replayed);
      expect(made).toHaveLength(1);
    }
  });

  it('take one order for an animal, whoever is asked', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: petId } = await addPet(one);
      const answers = await sendAll(10, '/v1/store/orders', { petId });
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(9);
      for (const answer of refused) expectError(answer, 'animal_not_available');
      expect(await statusOf(other, petId)).toBe('pending');
    }
  });
});
