import type { Type } from '@nestjs/common';
import type { ValueTransformer } from 'typeorm';
import { rulesOf } from '../api/validation/reader.js';

/**
 * Stores the objects of a DTO, or lists of them, in a `jsonb` column, to the digit: 64-bit integers, decimals and moments
 * are texts there.
 */
export function jsonOf(model: Type<object>): ValueTransformer {
  return {
    to: (value: unknown) =>
      value === undefined
        ? undefined
        : JSON.parse(
            JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part)),
          ),
    from: (value: unknown) => restored(value, {}, model),
  };
}

interface Schema {
  format?: string;
  items?: Schema;
}

function restored(value: unknown, { format, items = {} }: Schema, model?: Type<object>): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => restored(item, items, model));
  if (model) return instanceOf(model, value);
  if (format === 'int64') return BigInt(value as string);
  return format === 'date-time' ? new Date(value as string) : value;
}

function instanceOf(model: Type<object>, stored: object): object {
  const members = stored as Record<string, unknown>;
  const known = rulesOf(model).filter(([name]) => name in members);
  return Object.assign(
    new model(),
    Object.fromEntries(
      known.map(([name, rule]) => [name, restored(members[name], rule.schema as Schema, rule.model)]),
    ),
  );
}
