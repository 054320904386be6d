import { ApiSchema } from '@nestjs/swagger';
import type { PetStatus } from '../pet-status.js';
import { OptionalPetStatus, PetCategoryId, PetName } from './pet.fields.js';

@ApiSchema({ name: 'NewPet', description: 'An animal to add. The service assigns its id.' })
export class NewPetDto {
  @PetName()
  readonly name!: string;

  @PetCategoryId()
  readonly categoryId!: bigint;

  @OptionalPetStatus()
  readonly status?: PetStatus;
}
