import { INT64_MAX, INT64_MIN, int64FromText, isInt64 } from '../../../common/int64/int64.js';
import { type Rule, scalar } from './rule.js';

/** A 64-bit integer, held as a `bigint`. */
export function int64(): Rule<bigint> {
  return scalar({
    schema: { type: 'integer', format: 'int64', ...exactly({ minimum: INT64_MIN, maximum: INT64_MAX }) },
    expected: `an integer from ${INT64_MIN} to ${INT64_MAX}`,
    fromJson: (value) => (isInt64(value) ? value : undefined),
    fromText: int64FromText,
  });
}

/** A small integer, held as a `number`. The JSON parser reads every integer as a `bigint`. */
export function integer({ minimum, maximum }: { minimum: number; maximum: number }): Rule<number> {
  const read = (value: unknown): number | undefined => {
    if (typeof value !== 'bigint') return undefined;
    const number = Number(value);
    return number >= minimum && number <= maximum ? number : undefined;
  };
  return scalar({
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    expected: `an integer from ${minimum} to ${maximum}`,
    fromJson: read,
    fromText: (text) => read(int64FromText(text)),
  });
}

/** Keeps the bounds as bigints. As numbers they would be rounded in the document. */
function exactly(bounds: { minimum: bigint; maximum: bigint }): { minimum: number; maximum: number } {
  return bounds as unknown as { minimum: number; maximum: number };
}
