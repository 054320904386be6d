import { addTo, type Identified } from './additions.js';
import type { Service } from './service.js';

export interface PetBody extends Identified {
  name: string;
  categoryId: number | bigint;
  status?: string;
}

/** Adds animals, with defaults for the fields that a test does not set. */
export function addPets(service: Service, ...pets: Partial<PetBody>[]): Promise<PetBody[]> {
  return addTo(
    service,
    '/v1/pets',
    pets.map((pet) => ({ name: 'Rex', categoryId: 1, ...pet })),
  );
}
