import { PageQuery } from '../../api/paging/page-query.js';
import { QueryParameter } from '../../api/validation/field.decorator.js';
import type { PetStatus } from '../pet-status.js';
import { petStatus } from './pet.fields.js';

export class ListPetsQuery extends PageQuery {
  @QueryParameter(petStatus, { description: 'Return only animals with this status.' })
  readonly status?: PetStatus;
}
