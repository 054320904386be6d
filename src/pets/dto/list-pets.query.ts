import { PAGE_LIMIT, PageQuery } from '../../api/paging/page-query.js';
import { QueryParameter } from '../../api/validation/field.decorator.js';
import { int64, listOf } from '../../api/validation/rule.js';
import type { PetStatus } from '../pet-status.js';
import { petStatus } from './pet.fields.js';

/** At most a page of them. */
const ids = listOf(int64(), { minItems: 1, maxItems: PAGE_LIMIT.maximum, unique: true });

export class ListPetsQuery extends PageQuery {
  @QueryParameter(petStatus, { description: 'Return only animals with this status.' })
  readonly status?: PetStatus;

  @QueryParameter(ids, {
    description: 'Return only animals with these ids. Those that do not exist are left out.',
  })
  readonly ids?: bigint[];
}
