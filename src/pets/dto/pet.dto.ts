import { ApiSchema } from '@nestjs/swagger';
import { Field } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';
import type { Pet } from '../pet.entity.js';
import type { PetStatus } from '../pet-status.js';
import { OptionalPetStatus, PetCategoryId, PetName } from './pet.fields.js';

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto {
  @Field(int64(), { description: 'Unique identifier assigned by the service on creation.', example: 1 })
  readonly id!: bigint;

  @PetName()
  readonly name!: string;

  @PetCategoryId()
  readonly categoryId!: bigint;

  @OptionalPetStatus()
  readonly status?: PetStatus;

  /** An animal without a status has no such member, rather than null. */
  static from({ id, name, categoryId, status }: Pet): PetDto {
    return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
  }
}
