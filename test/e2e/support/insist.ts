import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './client.js';

const ATTEMPTS = 10;

/** Repeats a request that a busy machine refused, unless it may have taken effect. */
export async function insist(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempts = 1; ; attempts++) {
    const answer = await send();
    if (answer.status !== 503 || isUnknown(answer) || attempts === ATTEMPTS) return answer;
    await delay(500);
  }
}

/** Whether the request may have taken effect, although it was answered with an error. */
export function isUnknown({ status, text }: Answer): boolean {
  return status === 503 && text.includes('the outcome is unknown');
}
