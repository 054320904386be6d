import { type Rule, scalar } from './rule.js';

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const WHITE_SPACE = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
/**
 * Printable text, not only white space. Regex engines differ in their classes, so the characters are listed. The first
 * two classes are disjoint; otherwise an engine backtracks, in time quadratic in the length.
 */
const PRINTABLE = `^[${WHITE_SPACE}]*[^${CONTROL}${WHITE_SPACE}][^${CONTROL}]*$`;

/** A single line of text. The length counts Unicode code points. */
export function text({ minLength, maxLength }: { minLength: number; maxLength: number }): Rule<string> {
  const pattern = new RegExp(PRINTABLE, 'u');
  const read = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || !value.isWellFormed() || !pattern.test(value)) return undefined;
    const length = codePoints(value, maxLength);
    return length >= minLength && length <= maxLength ? value : undefined;
  };
  const length = minLength === maxLength ? `exactly ${minLength}` : `${minLength} to ${maxLength}`;
  return scalar({
    schema: { type: 'string', minLength, maxLength, pattern: PRINTABLE },
    expected: `a string of ${length} characters, without control characters and not only white space`,
    fromJson: read,
    fromText: read,
  });
}

/** Stops counting at one past the limit. */
function codePoints(value: string, limit: number): number {
  let count = 0;
  for (const _ of value) if (++count > limit) break;
  return count;
}
