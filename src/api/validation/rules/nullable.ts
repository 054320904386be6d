import type { Rule } from './rule.js';

/** A value or null: null clears an optional field in a PATCH body. */
export function nullable<T>({ schema, expected, fromJson, model }: Rule<T>): Rule<T | null> {
  return {
    schema: { ...schema, nullable: true },
    expected: `${expected}, or null`,
    fromJson: (value) => (value === null ? null : fromJson(value)),
    ...(model && { model }),
  };
}
