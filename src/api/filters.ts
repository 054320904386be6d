import { And, type FindOperator, type FindOptionsWhere } from 'typeorm';

/**
 * The `where` of TypeORM for the filters that a client has sent. TypeORM refuses an undefined value, because one that was
 * forgotten would select every row: so those that a client may leave out are left out here.
 */
export function whereSent<T>(filters: FindOptionsWhere<T>): FindOptionsWhere<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as FindOptionsWhere<T>;
}

/** The bounds that a client has sent: `within([priceFrom, MoreThanOrEqual], [priceTo, LessThan])`. */
export function within<T>(
  ...bounds: [value: T | undefined, operator: (value: T) => FindOperator<T>][]
): FindOperator<T> | undefined {
  const sent = bounds.flatMap(([value, operator]) => (value === undefined ? [] : [operator(value)]));
  return sent.length > 0 ? And(...sent) : undefined;
}
