import { Fault } from '../fault.js';
import type { Rule } from './rule.js';

interface Size {
  minItems?: number;
  maxItems: number;
  /** No value twice. For numbers and strings. */
  unique?: boolean;
}

/** A list: an array in JSON, and values separated by commas in a query. */
export function listOf<T>(item: Rule<T>, { minItems = 0, maxItems, unique = false }: Size): Rule<T[]> {
  const { fromText, model } = item;
  const { allOf } = item.schema as { allOf?: [object] };
  const expected = `a list of ${minItems} to ${maxItems} items${unique ? ', none twice' : ''}`;
  const refused = Fault.mustBe(expected);
  const read = <V>(values: readonly V[], one: (value: V) => T | Fault): T[] | Fault => {
    if (values.length < minItems || values.length > maxItems) return refused;
    const items: T[] = [];
    for (const [i, value] of values.entries()) {
      const result = one(value);
      if (result instanceof Fault) return result.within(`[${i}]`);
      items.push(result);
    }
    return unique && new Set(items).size < items.length ? refused : items;
  };
  return {
    schema: {
      type: 'array',
      items: allOf?.[0] ?? item.schema,
      minItems,
      maxItems,
      ...(unique && { uniqueItems: true }),
    },
    expected,
    fromJson: (value) =>
      Array.isArray(value) ? read(value as unknown[], (each) => item.fromJson(each)) : refused,
    ...(fromText && { fromText: (text: string) => read(text.split(','), fromText) }),
    ...(model && { model }),
  };
}
