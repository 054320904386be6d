import fc from 'fast-check';
import { type Requests, withMembers } from './bodies.js';
import { noDecimals } from './decimals.js';
import type { Operation, Schema } from './document.js';
import { FORMATS } from './formats.js';
import { allowed, asJson, lengths, matches, wrongLists } from './values.js';

export const missingField = (operation: Operation): Requests =>
  (operation.body?.required ?? []).length === 0
    ? undefined
    : withMembers(operation, (members, { required = [] }) =>
        fc
          .subarray([...required], { minLength: 1 })
          .map((left) => members.filter(({ name }) => !left.includes(name))),
      );

export const otherType = (operation: Operation): Requests =>
  withField(
    operation,
    () => true,
    ({ type = 'string', nullable = false }) => {
      const ofType: Record<string, fc.Arbitrary<string>> = {
        null: fc.constant('null'),
        boolean: fc.constantFrom('true', 'false'),
        integer: fc.integer().map(String),
        number: fc.integer().map((n) => `${n}.5`),
        string: fc.oneof(
          fc.string().map((text) => JSON.stringify(text)),
          fc.bigInt().map((n) => `"${n}"`),
        ),
        array: fc.array(fc.json({ maxDepth: 2 }), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        object: fc.constantFrom('{}', '{"x":1}'),
      };
      const own = [type, ...(type === 'number' ? ['integer'] : []), ...(nullable ? ['null'] : [])];
      const others = Object.keys(ofType).filter((name) => !own.includes(name));
      return fc.oneof(...others.map((name) => ofType[name]!));
    },
  );

export const otherFormat = (operation: Operation): Requests =>
  withField(
    operation,
    ({ format = '' }) => format in FORMATS,
    ({ format = '' }) => FORMATS[format]!.invalid.chain(asJson),
  );

export const noDecimal = (operation: Operation): Requests =>
  withField(operation, ({ type }) => type === 'number', noDecimals);

export const wrongSize = (operation: Operation): Requests =>
  withField(
    operation,
    ({ type }) => type === 'array',
    (schema) => wrongLists(schema).chain(asJson),
  );

export const unknownWithin = (operation: Operation): Requests =>
  withField(
    operation,
    ({ type }) => type === 'object',
    (schema) => allowed(schema).chain((object) => asJson({ ...(object as object), 'no such member': true })),
  );

export const outOfBounds = (operation: Operation): Requests =>
  withField(
    operation,
    ({ type }) => type === 'integer',
    ({ minimum = 0n, maximum = 0n }) => {
      const beyond = fc.oneof(fc.constant(1n), fc.bigInt(1n, 100n), fc.bigInt(1n, 10n ** 40n));
      return fc.oneof(
        beyond.map((by) => maximum + by).chain(asJson),
        beyond.map((by) => minimum - by).chain(asJson),
        fc.constantFrom(
          '1.5',
          '1e400',
          '-1e400',
          '1e-1',
          '1e999999999',
          '9007199254740993.5',
          '1e-999999999',
        ),
        fc
          .tuple(fc.bigInt(minimum, maximum), fc.integer({ min: 1, max: 9 }))
          .map(([n, tenth]) => `${n}.${tenth}`),
      );
    },
  );

export const wrongLength = (operation: Operation): Requests =>
  withField(operation, isText, (schema) => {
    const { min, max } = lengths(schema);
    const over = fc.constantFrom(1, 2, max).map((by) => max + by);
    const units = fc.constantFrom('x', '🐕', '\u{10ffff}', 'é');
    const long = fc.tuple(over, units).map(([length, unit]) => unit.repeat(length));
    const short = min > 0 ? [fc.constant('x'.repeat(min - 1))] : [];
    return fc.oneof(long, ...short).map((text) => JSON.stringify(text));
  });

export const againstPattern = (operation: Operation): Requests =>
  withField(
    operation,
    (schema) => isText(schema) && schema.pattern !== undefined,
    (schema) => {
      const { min, max } = lengths(schema);
      const odd = fc.oneof(
        fc.integer({ min: 0, max: 0xa0 }).map((code) => String.fromCodePoint(code)),
        fc.constantFrom(...' \u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\u007f\u0085'),
      );
      const blank = fc.string({ unit: odd, minLength: min, maxLength: max });
      const spoilt = fc
        .tuple(allowed({ ...schema, nullable: false }), odd, fc.nat())
        .map(([text, character, at]) => {
          const points = [...(text as string)];
          return points.toSpliced(at % Math.max(points.length, 1), 1, character).join('');
        });
      const empty = { ...schema, pattern: '' };
      return fc
        .oneof(blank, spoilt)
        .filter((text) => matches(empty, text) && !matches(schema, text))
        .chain(asJson);
    },
  );

export const notListed = (operation: Operation): Requests =>
  withField(
    operation,
    ({ enum: listed }) => typeof listed?.[0] === 'string',
    (schema) => {
      const listed = (schema.enum ?? []) as readonly string[];
      const near = fc.constantFrom(...listed).chain((value) => {
        const [first = ''] = value;
        const last = value.at(-1) ?? '';
        return fc.constantFrom(
          value.toUpperCase(),
          value.replace(first, first.toUpperCase()),
          ` ${value}`,
          `${value} `,
          `${value}\0`,
          value + last,
        );
      });
      return fc
        .oneof(near, fc.string(), fc.constantFrom('', 'null', '__proto__', 'toString'))
        .filter((text) => !listed.includes(text))
        .chain(asJson);
    },
  );

export const notThisBoolean = (operation: Operation): Requests =>
  withField(
    operation,
    ({ enum: listed }) => typeof listed?.[0] === 'boolean',
    ({ enum: listed = [] }) => fc.constant(String(!listed[0])),
  );

export const halfCharacter = (operation: Operation): Requests =>
  withField(operation, isText, (schema) =>
    fc
      .tuple(
        fc.constantFrom('\\ud800', '\\uDBFF', '\\udc00', '\\udfff', '\\udc00\\ud800'),
        fc.nat({ max: 3 }),
      )
      .map(([half, before]) => `"${'x'.repeat(Math.min(before, lengths(schema).max - 2))}${half}"`),
  );

export const unknownField = (operation: Operation): Requests =>
  withMembers(operation, (members, { properties = {} }) => {
    const known = Object.keys(properties);
    const variants = known.flatMap((name) => [name.toUpperCase(), `${name} `, `${name}[]`]);
    const name = fc
      .oneof(
        fc.constantFrom('id', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ...variants),
        fc.string({ unit: 'binary', maxLength: 60 }),
      )
      .filter((text) => !known.includes(text));
    return fc
      .tuple(name, fc.json({ maxDepth: 4 }), fc.nat({ max: members.length }))
      .map(([unknown, json, at]) => members.toSpliced(at, 0, { name: unknown, json }));
  });

const isText = ({ type, enum: listed, maxLength }: Schema): boolean =>
  type === 'string' && !listed && maxLength !== undefined;

/** Requests whose body has exactly one invalid field, chosen from those whose schema satisfies `is`. */
function withField(
  operation: Operation,
  is: (schema: Schema) => boolean,
  wrong: (schema: Schema) => fc.Arbitrary<string>,
): Requests {
  const fields = Object.entries(operation.body?.properties ?? {}).filter(([, schema]) => is(schema));
  if (fields.length === 0) return undefined;
  return withMembers(operation, (members) =>
    fc
      .constantFrom(...fields)
      .chain(([name, schema]) =>
        wrong(schema).map((json) => [...members.filter((member) => member.name !== name), { name, json }]),
      ),
  );
}
