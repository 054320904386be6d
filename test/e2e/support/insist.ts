import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseOutage } from '../../../src/database/database-errors.js';
import { type Answer, isUnknown } from './client.js';

const ATTEMPTS = 10;

/** Repeats a request that a busy machine refused, unless it may have taken effect. */
export async function insist(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempts = 1; ; attempts++) {
    const answer = await send();
    if (answer.status !== 503 || isUnknown(answer) || attempts === ATTEMPTS) return answer;
    await delay(500);
  }
}

/** Sends a request that is made once, however often it is sent, until it is known what became of it. */
export async function untilDecided(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send();
  while (answer.status === 503) answer = await send();
  return answer;
}

/** Like `insist`, for what a test asks of the service's own code. */
export async function insistInside<T>(run: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseOutage) || attempts === ATTEMPTS) throw error;
      await delay(500);
    }
  }
}
