import { QueryParameter } from '../validation/field.decorator.js';
import { int64, integer } from '../validation/rule.js';

export const PAGE_LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** The query parameters of every list. A feature extends it with filters. */
export class PageQuery {
  @QueryParameter(integer(PAGE_LIMIT), {
    description: 'Maximum number of items returned.',
    default: PAGE_LIMIT.default,
  })
  readonly limit!: number;

  @QueryParameter(int64(), {
    description: 'Return only items whose id is greater: the last id of the previous page.',
  })
  readonly after?: bigint;
}
