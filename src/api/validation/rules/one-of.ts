import { getSchemaPath } from '@nestjs/swagger';
import { type Rule, scalar } from './rule.js';

interface Enumeration {
  type: 'string';
  enum: readonly string[];
  description?: string;
}

/** The schemas that fields refer to by name. @nestjs/swagger would lose the bounds of lists, and defaults. */
export const enumerations = new Map<string, Enumeration>();

/** A named enumeration of strings. */
export function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
  description?: string,
): Rule<T> {
  if (enumerations.has(name)) throw new Error(`oneOf('${name}', …) is declared twice: share the first.`);
  enumerations.set(name, { type: 'string', ...(description && { description }), enum: values });
  const read = (value: unknown): T | undefined => (values.includes(value as T) ? (value as T) : undefined);
  return scalar({
    schema: { type: 'string', allOf: [{ $ref: getSchemaPath(name) }] },
    expected: `one of ${values.join(', ')}`,
    fromJson: read,
    fromText: read,
  });
}
