import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';

export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** Whether the field may be left out. */
  readonly optional?: boolean;
  /** Whether the field may be null: in a PATCH, null clears it. */
  readonly nullable?: boolean;
  /** The value of a field that is left out. */
  readonly default?: unknown;
  /** Makes the field an array of different values. In a query, commas separate them, or the parameter is repeated. */
  readonly list?: { readonly minItems: number; readonly maxItems: number };
}

const OPTIONS = new Set(['description', 'example', 'optional', 'nullable', 'default', 'list']);

/** What a kind of field takes. */
export interface Rule {
  readonly schema: object;
  /** Completes the sentence "must be …". */
  readonly expected: string;
  /** The column type for such values, as TypeORM names it. `entities.spec.ts` compares it with the entity's column. */
  readonly column: string;
  readonly check: (value: unknown) => boolean;
  /** Converts a value of a body. A value that it does not understand is returned unchanged, and `check` refuses it. */
  readonly fromJson?: (value: unknown) => unknown;
  /** Converts the text of a path or query parameter, in the same way. */
  readonly fromText?: (text: string) => unknown;
}

export interface Field extends Rule, FieldOptions {}

/** The name under which class-validator knows the checks that are made here. */
export const FIELD = 'field';
const FIELDS = 'fields';

/** The fields of a class and its base classes, by name. */
export function fieldsOf(type: Type): ReadonlyMap<string, Field> {
  return (Reflect.getMetadata(FIELDS, type.prototype as object) ?? new Map()) as Map<string, Field>;
}

/** Declares a field to us, to the document, to class-transformer and to class-validator. */
export function field(options: FieldOptions, item: Rule): PropertyDecorator {
  const { optional, list, ...documented } = options;
  const { nullable, default: otherwise } = options;
  const stray = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (stray)
    throw new Error(`"${stray}" is not an option of every field: put it into the first argument of its decorator.`);
  const rule = list ? listOf(item, list) : item;
  const declared: Field = {
    ...rule,
    ...options,
    expected: nullable ? `${rule.expected}, or null` : rule.expected,
    check: nullable ? (value) => value === null || rule.check(value) : rule.check,
  };
  return applyDecorators(
    (prototype: object, name: string | symbol) => {
      const others = fieldsOf(prototype.constructor as Type);
      Reflect.defineMetadata(FIELDS, new Map([...others, [name as string, declared]]), prototype);
    },
    ApiProperty({ ...rule.schema, ...documented, required: !optional && otherwise === undefined }),
    Transform(({ value }: { value: unknown }) => rule.fromJson?.(value) ?? value, { toClassOnly: true }),
    ValidateIf((_, value) => !(optional && value === undefined)),
    ValidateBy({ name: FIELD, validator: { validate: declared.check } }),
  );
}

function listOf(item: Rule, { minItems, maxItems }: NonNullable<FieldOptions['list']>): Rule {
  const { fromJson = (value: unknown) => value, fromText = fromJson } = item;
  const isEnum = 'enumName' in item.schema;
  const items = isEnum ? { ...item.schema, isArray: true } : { type: 'array', items: item.schema };
  return {
    schema: { ...items, minItems, maxItems, uniqueItems: true },
    expected: `a list of ${minItems} to ${maxItems} items separated by commas, none twice, each ${item.expected}`,
    column: `${item.column}[]`,
    check: (value) =>
      Array.isArray(value) &&
      value.length >= minItems &&
      value.length <= maxItems &&
      value.every(item.check) &&
      new Set(value.map((each: object) => each.valueOf())).size === value.length, // two equal dates are two objects
    fromJson: (value) => (Array.isArray(value) ? value.map(fromJson) : value),
    fromText: (texts) => texts.split(',', maxItems + 1).map(fromText),
  };
}
