import { expect } from '@jest/globals';
import type { Service } from './service.js';

/** Reads all pages of a list by following their `next` links. */
export async function walk<T>(service: Service, start: string, between?: () => Promise<unknown>): Promise<T[]> {
  const seen: T[] = [];
  for (let next: string | undefined = start; next;) {
    const answer = await service.get(next);
    expect(answer.status).toBe(200);
    seen.push(...(answer.json as T[]));
    next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    await between?.();
  }
  return seen;
}
