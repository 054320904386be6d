import type { Service } from './service.js';

export interface PetBody {
  id: number | bigint;
  name: string;
  categoryId: number | bigint;
  status?: string;
}

/** Adds animals through the front door and returns what the service made of them. */
export async function addPets(service: Service, ...pets: Partial<PetBody>[]): Promise<PetBody[]> {
  const added: PetBody[] = [];
  for (const pet of pets) {
    const answer = await service.post('/v1/pets', { name: 'Rex', categoryId: 1, ...pet });
    if (answer.status !== 201) throw new Error(`The animal was refused: ${answer.text}`);
    added.push(answer.json as PetBody);
  }
  return added;
}
