import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { type Check, checksOf } from './other-checks.js';

/** The part of a schema that a check narrows. */
interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  items?: Schema;
  allOf?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}

/** Returns advice instead, where a schema would say more or less than the check does. */
type Statement = (...given: never[]) => Schema | string;

/** Any version, or all zeros or ones. */
const ANY_UUID = '^(?:.{14}[1-8].{4}[89ABab].*|[0-]+|[Ff-]+)$';

const ANYTHING: Record<string, Statement> = { isOptional: () => ({}), isDefined: () => ({}) };

/** What the decorators of class-validator check, in JSON Schema, by the type of the values that they take. */
const STATEMENTS: Readonly<Record<string, Record<string, Statement>>> = {
  string: {
    ...ANYTHING,
    isString: () => ({}),
    isNotEmpty: () => ({ minLength: 1 }),
    minLength: (minLength: number) => ({ minLength }),
    maxLength: (maxLength: number) => ({ maxLength }),
    isLength: (minLength: number, maxLength?: number) => ({ minLength, ...(maxLength && { maxLength }) }),
    isIn: (values: readonly string[]) => ({ enum: values }),
    isEnum: (_enumeration: object, values: readonly string[]) => ({ enum: values }),
    matches: ({ source, flags }: RegExp) =>
      flags === 'u' ? { pattern: source } : 'give the pattern the flag u, and no other',
    isUuid: (version?: string) =>
      /^[1-8]$/.test(version ?? '4')
        ? { format: 'uuid', pattern: version ? `^.{14}${version}.{4}[89ABab]` : ANY_UUID }
        : 'name one version, 1 to 8',
    isEmail: (options?: object) => (isEmpty(options) ? { format: 'email' } : 'leave out its options'),
    isUrl: ({ require_protocol: absolute, ...others }: Record<string, unknown> = {}) =>
      absolute && isEmpty(others) ? { format: 'uri' } : 'give it { require_protocol: true } alone',
  },
  integer: {
    ...ANYTHING,
    isInt: () => ({}),
    min: (minimum: number) => ({ minimum }),
    max: (maximum: number) => ({ maximum }),
    isPositive: () => ({ minimum: 1 }),
    isIn: (values: readonly number[]) => ({ enum: values }),
  },
  array: {
    ...ANYTHING,
    isArray: () => ({}),
    arrayNotEmpty: () => ({ minItems: 1 }),
    arrayMinSize: (minItems: number) => ({ minItems }),
    arrayMaxSize: (maxItems: number) => ({ maxItems }),
    arrayUnique: (identifier?: unknown) => (identifier ? 'leave out the identifier' : { uniqueItems: true }),
  },
};

/** Documents the checks of a property beside its rule. Throws for one that the document would not state. */
export function stateChecks(input: Type, property: string, rule: object): void {
  const checks = checksOf(input).filter(({ propertyName }) => propertyName === property);
  if (checks.length === 0) return;
  const at = `${input.name}.${property}`;
  const seen = new Set<string>();
  let stated = rule as Schema;
  for (const check of checks) {
    const { items = {} } = stated;
    const statement = statementOf(check, check.each ? items : stated, at);
    for (const keyword of Object.keys(statement).filter((name) => !(name in BOUNDS))) {
      if (seen.has(keyword)) throw new Error(`${at} has two checks of its ${keyword}: combine them.`);
      seen.add(keyword);
    }
    stated = check.each ? { ...stated, items: narrowed(items, statement) } : narrowed(stated, statement);
  }
  ApiProperty(stated as ApiPropertyOptions)(input.prototype as object, property);
}

function statementOf(check: Check, schema: Schema, at: string): Schema {
  const { name = check.constraintCls?.name ?? check.type, context } = check;
  const constraints = (check.constraints as never[] | undefined) ?? [];
  const own = (context as { schema?: Schema } | undefined)?.schema;
  if (own) return own;
  const state = check.validateIf ? undefined : STATEMENTS[typeOf(schema)]?.[name];
  const statement = state ? state(...constraints) : 'add it to src/api/validation/stated-checks.ts';
  if (typeof statement === 'object') return statement;
  throw new Error(
    `${at} has the check "${name}", which the document would not state: ${statement}. Otherwise, name its schema in the ` +
      `options of the decorator, such as { context: { schema: { pattern: '^[A-Z]+$' } } }; an empty one if none can say it.`,
  );
}

/** Checks get numbers, not bigints or decimals, and a moment as a `Date`. */
function typeOf({ type = '', format, allOf }: Schema): string {
  const isOther = allOf !== undefined || format === 'int64' || format === 'date-time';
  return isOther ? 'other' : type;
}

const BOUNDS: Readonly<Record<string, (...bounds: number[]) => number>> = {
  minimum: Math.max,
  maximum: Math.min,
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
};

function narrowed(schema: Schema, statement: Schema): Schema {
  const before = schema as Record<string, number>;
  const stated = Object.entries(statement).map(([keyword, value]: [string, unknown]) => {
    const bound = keyword in before ? BOUNDS[keyword] : undefined;
    return [keyword, bound ? bound(before[keyword]!, value as number) : value];
  });
  return { ...schema, ...Object.fromEntries(stated) };
}

function isEmpty(options: object = {}): boolean {
  return Object.keys(options).length === 0;
}
