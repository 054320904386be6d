import { ApiSchema } from '@nestjs/swagger';
import { Int64, OneOf, Text } from '../../api/fields.js';
import { OnlyFields } from '../../api/input.pipe.js';
import { PAGE_LIMIT, PageQuery } from '../../api/pages.js';
import { type Pet, PET_STATUSES, type PetStatus } from '../pet.entity.js';

// The fields that input and output share.
const Name = () => Text({ minLength: 1, maxLength: 255 }, { description: "The animal's name.", example: 'Rex' });
const CategoryId = () => Int64({ description: 'Identifier of the category the animal belongs to.', example: 1 });
const Status = () => OneOf('PetStatus', PET_STATUSES, { description: 'Availability of the animal.', optional: true });

@OnlyFields()
@ApiSchema({ name: 'NewPet', description: 'An animal to add. The service assigns its id.' })
export class NewPetDto {
  @Name() readonly name!: string;
  @CategoryId() readonly categoryId!: bigint;
  @Status() readonly status?: PetStatus;
}

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto {
  @Int64({ description: 'Unique identifier assigned by the service on creation.', example: 1 }) readonly id!: bigint;
  @Name() readonly name!: string;
  @CategoryId() readonly categoryId!: bigint;
  @Status() readonly status?: PetStatus;

  /** An animal without a status has no such member, rather than null. */
  static from({ id, name, categoryId, status }: Pet): PetDto {
    return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
  }
}

@OnlyFields()
export class PetPath {
  @Int64({ description: 'Identifier of the animal.', example: 1 }) readonly petId!: bigint;
}

@OnlyFields()
export class ListPetsQuery extends PageQuery {
  @OneOf('PetStatus', PET_STATUSES, { description: 'Return only animals with this status.', optional: true })
  readonly status?: PetStatus;

  @Int64({
    description: 'Return only animals with these ids, of those that exist. Commas may separate them.',
    list: { minItems: 1, maxItems: PAGE_LIMIT.maximum },
    optional: true,
  })
  readonly ids?: bigint[];
}
