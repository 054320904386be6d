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
    const answer = await service.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} was refused: ${answer.text}`);
    added.push(answer.json as T);
  }
  return added;
}
