import { int64FromJsonNumber } from '../../../common/int64/int64.js';
import { NonInt64Number } from '../../../common/json/parse-json.js';
import { type Rule, scalar } from './rule.js';

/** A decimal as PostgreSQL writes it, with all its decimal places: `'12.50'`. Never calculate with it as a `number`. */
export type Decimal = `${number}`;

interface Range {
  minimum: number;
  maximum: number;
  /** The number of decimal places, as in `numeric(precision, scale)`. */
  scale: number;
}

/** JavaScript numbers, and those of most other languages, keep this many digits of any decimal. */
const EXACT_DIGITS = 15;
/** JavaScript writes smaller numbers with an exponent. */
const MAX_SCALE = 6;
const PLAIN = /^(?!-0(?:\.0+)?$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** An exact decimal: a number in JSON, a `Decimal` in code, `numeric` in the database. */
export function decimal({ minimum, maximum, scale }: Range): Rule<Decimal> {
  const low = unitsOf(String(minimum), scale);
  const high = unitsOf(String(maximum), scale);
  if (low === undefined || high === undefined || scale > MAX_SCALE) {
    throw new Error(
      `decimal(${JSON.stringify({ minimum, maximum, scale })}): the bounds must have at most ${EXACT_DIGITS} digits, ` +
        `and as many decimal places as the scale, which is ${MAX_SCALE} at most.`,
    );
  }
  const read = (text: string): Decimal | undefined => {
    const units = unitsOf(text, scale);
    return units !== undefined && units >= low && units <= high ? written(units, scale) : undefined;
  };
  return scalar({
    schema: { type: 'number', minimum, maximum, multipleOf: Number(`1e-${scale}`) },
    expected: `a number from ${minimum} to ${maximum} with at most ${scale} decimal places`,
    fromJson: (value) => {
      if (typeof value === 'bigint') return read(String(value));
      return value instanceof NonInt64Number ? read(value.text) : undefined;
    },
    fromText: (text) => (PLAIN.test(text) ? read(text) : undefined),
  });
}

/** The number in units of its last decimal place. */
function unitsOf(text: string, scale: number): bigint | undefined {
  const units = int64FromJsonNumber(text, scale);
  return units !== undefined && String(units).replace('-', '').length <= EXACT_DIGITS ? units : undefined;
}

function written(units: bigint, scale: number): Decimal {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const sign = units < 0n ? '-' : '';
  return `${sign}${digits.slice(0, point)}${scale > 0 ? '.' : ''}${digits.slice(point)}` as Decimal;
}
