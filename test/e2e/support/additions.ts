import { randomBytes } from 'node:crypto';
import { insist } from './insist.js';
import type { Service } from './service.js';

/** Every resource has an id. */
export interface Identified {
  id: number | bigint;
}

/** Creates items through the API, one after the other, and returns them as the service answers them. */
export async function addTo<T extends Identified>(
  service: Service,
  path: string,
  bodies: object[],
): Promise<T[]> {
  const added: T[] = [];
  for (const body of bodies) {
    const answer = await insist(() => service.post(path, body));
    if (answer.status !== 201) throw new Error(`POST ${path} was refused: ${answer.text}`);
    added.push(answer.json as T);
  }
  return added;
}

let seconds = 0;

/** A time before those that it has given: for lists with the latest first. */
export function earlierTime(): string {
  return new Date(Date.UTC(2026, 0, 1) - ++seconds * 1000).toISOString();
}

const run = randomBytes(4).toString('hex');
let number = 0;

/** A word of 20 characters that follows those before it, and that no other file or run has added to a deployment. */
export function uniqueText(): string {
  return `Sample-${run}${String(++number).padStart(5, '0')}`;
}
