import { type Rule, scalar } from '../validation/rules/rule.js';

/** Every text that matches is a position that the database can compare. */
const PATTERN = '^(-[0-9]{1,14}|[0-9]{1,15})_[0-9]{1,18}$';

/** Where a page of a list by time ends: several items may be of the same time. */
export class Position {
  constructor(
    readonly time: Date,
    readonly id: bigint,
  ) {}

  toString(): string {
    return `${this.time.getTime()}_${this.id}`;
  }
}

/** The `after` of a list by time. */
export function position(): Rule<Position> {
  const pattern = new RegExp(PATTERN);
  const read = (value: unknown): Position | undefined => {
    if (typeof value !== 'string' || !pattern.test(value)) return undefined;
    const [time, id] = value.split('_') as [string, string];
    return new Position(new Date(Number(time)), BigInt(id));
  };
  return scalar({
    schema: { type: 'string', maxLength: 34, pattern: PATTERN },
    expected: 'the value of a link to the next page',
    fromJson: read,
    fromText: read,
  });
}
