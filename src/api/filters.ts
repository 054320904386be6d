import { And, type FindOperator, type FindOptionsWhere } from 'typeorm';

/**
 * Makes a `where` for TypeORM of the filters that a client has sent, without those that it left out. TypeORM would refuse a
 * filter whose value is undefined, since a value that a programmer forgot would otherwise select every row.
 */
export function whereSent<T>(filters: FindOptionsWhere<T>): FindOptionsWhere<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as FindOptionsWhere<T>;
}

/** Combines the bounds that a client has sent: `within([priceFrom, MoreThanOrEqual], [priceTo, LessThan])`. */
export function within<T>(
  ...bounds: [value: T | undefined, operator: (value: T) => FindOperator<T>][]
): FindOperator<T> | undefined {
  const sent = bounds.flatMap(([value, operator]) => (value === undefined ? [] : [operator(value)]));
  return sent.length > 0 ? And(...sent) : undefined;
}
