import { PageQuery } from '../../api/paging/page-query.js';
import { QueryParameter } from '../../api/validation/field.decorator.js';
import { boolean, int64 } from '../../api/validation/rule.js';

export class ListOrdersQuery extends PageQuery {
  @QueryParameter(int64(), { description: 'Only orders of this animal.' })
  readonly petId?: bigint;

  @QueryParameter(boolean(), { description: 'Only complete orders, or only open ones.' })
  readonly complete?: boolean;
}
