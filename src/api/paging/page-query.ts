import { QueryParameter } from '../validation/field.decorator.js';
import { int64, integer } from '../validation/rule.js';

export const PAGE_LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** The query parameter of every list. A list in another order than that of ids adds its own `after`. */
export class LimitQuery {
  @QueryParameter(integer(PAGE_LIMIT), {
    description: 'Maximum number of items returned.',
    default: PAGE_LIMIT.default,
  })
  readonly limit!: number;
}

/** The query parameters of a list in ascending order of id. A feature extends it with filters. */
export class PageQuery extends LimitQuery {
  @QueryParameter(int64(), {
    description: 'Return only items whose id is greater: the last id of the previous page.',
  })
  readonly after?: bigint;
}
