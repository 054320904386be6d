import fc from 'fast-check';
import { isDecimal } from './decimals.js';
import type { Operation, Parameter, Schema } from './document.js';
import { FORMATS } from './formats.js';
import {
  allowedRequests,
  bodyOf,
  keyHeaderOf,
  limitOf,
  type Member,
  membersOf,
  pathOf,
  queryOf,
  type Sent,
  toRequest,
} from './requests.js';
import { allowed, asParameter, lengths, matches, wrongLists } from './values.js';

type Requests = fc.Arbitrary<Sent> | undefined;

export const invalidParameter = (operation: Operation): Requests =>
  withQuery(operation, operation.query, (given, { name, schema }) =>
    forbidden(schema).map((json) => [...given, { name, json }]),
  );

export const justOutOfBounds = (operation: Operation): Requests => {
  const edges = operation.query.flatMap(({ name, schema: { type, minimum, maximum } }) =>
    type !== 'integer' || minimum === undefined || maximum === undefined
      ? []
      : [minimum - 1n, maximum + 1n].map((edge) => ({ name, json: String(edge) })),
  );
  if (edges.length === 0) return undefined;
  return fc
    .tuple(pathOf(operation), fc.constantFrom(...edges))
    .map(([path, edge]) => toRequest(operation, { path, query: [edge], body: undefined }));
};

export const wrongList = (operation: Operation): Requests => {
  const lists = operation.query.filter(({ schema }) => schema.type === 'array');
  return withQuery(operation, lists, (given, { name, schema }) =>
    wrongLists(schema)
      .chain(asParameter)
      .map((json) => [...given, { name, json }]),
  );
};

export const emptyParameter = (operation: Operation): Requests =>
  withQuery(operation, operation.query, (given, { name }) => fc.constant([...given, { name, json: '' }]));

export const repeatedParameter = (operation: Operation): Requests =>
  withQuery(operation, operation.query, (given, { name, schema }) =>
    fc
      .array(allowed(schema).chain(asParameter), { minLength: 2, maxLength: 3 })
      .map((values) => [...given, ...values.map((json) => ({ name, json }))]),
  );

export const unknownParameter = (operation: Operation): Requests =>
  withQuery(operation, operation.query, (given) => {
    const known = operation.query.map(({ name }) => name);
    const variants = known.flatMap((name) => [name.toUpperCase(), `${name}[]`, `${name} `, `${name}.x`]);
    return fc
      .tuple(
        fc.oneof(
          fc.constantFrom(
            'offset',
            'page',
            'api_key',
            'access_token',
            '__proto__',
            'constructor',
            ...variants,
          ),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
        ),
        fc.webQueryParameters(),
      )
      .filter(([name]) => !known.includes(name))
      .map(([name, json]) => [...given, { name: encodeURIComponent(name), json }]);
  });

export const invalidPath = (operation: Operation): Requests => {
  const [parameter] = operation.pathParameters;
  return parameter && withPath(operation, parameter, forbidden(parameter.schema));
};

export const brokenPath = (operation: Operation): Requests => {
  const [parameter] = operation.pathParameters;
  return (
    parameter &&
    withPath(operation, parameter, fc.constantFrom('%', '1%', '%zz', '%1', '%ff', '%c0%af', '%e2%82'))
  );
};

/** Header values in visible or extended ASCII, of which Node.js sends none else. */
export const invalidKeyHeader = (operation: Operation): Requests => {
  const header = keyHeaderOf(operation);
  if (!header) return undefined;
  const valid = new RegExp(header.schema.pattern ?? '', 'u');
  const character = fc.oneof(
    fc.constantFrom('"', '\\', ' ', 'a'),
    fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code)),
  );
  const values = fc.oneof(
    fc.string({ unit: character, maxLength: 20 }),
    fc.integer({ min: 256, max: 400 }).map((length) => 'k'.repeat(length)),
  );
  return fc
    .tuple(
      allowedRequests(operation),
      values.filter((text) => !valid.test(text.replace(/^ +| +$/g, ''))),
    )
    .map(([sent, key]) => ({
      ...sent,
      isRepeated: false,
      headers: { ...sent.headers, [header.name.toLowerCase()]: key },
    }));
};

export const noKey = (operation: Operation): Requests => withKey(operation, fc.constant(undefined));

export const wrongKey = (operation: Operation): Requests =>
  withKey(
    operation,
    fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }).map((text) => `Bearer ${text}`),
      fc.stringMatching(/^pets_(live|test)_[A-Za-z0-9]{38}$/).map((key) => `Bearer ${key}`),
      fc.constantFrom('', 'Bearer', 'Bearer ', 'Basic eDp5', 'Digest x', 'Bearer  x', 'Bearer x, Bearer y'),
    ),
  );

export const longTarget = (operation: Operation): Requests => {
  const limit = limitOf(operation, 'uri_too_long');
  return fc.tuple(pathOf(operation), fc.constantFrom(1, 2, 1000)).map(([path, by]) => {
    const query = [{ name: 'x', json: 'x'.repeat(limit + by - path.text.length - '?x='.length) }];
    return toRequest(operation, { path, query, body: undefined });
  });
};

export const largeHeaders = (operation: Operation): Requests => {
  const limit = limitOf(operation, 'headers_too_large');
  return fc.tuple(pathOf(operation), fc.constantFrom(0, 1, 1000)).map(([path, by]) => {
    const headers = { 'x-filler': 'x'.repeat(limit + by) };
    return toRequest(operation, { path, query: [], body: undefined, headers });
  });
};

/** Invalid values of a parameter. Unlike in JSON, an integer has only one spelling: plain digits. */
function forbidden(schema: Schema): fc.Arbitrary<string> {
  const { type, format, items, minimum = 0n, maximum = 0n } = schema;
  if (items) return forbidden(items).filter((text) => !decodeURIComponent(text).includes(','));
  const isText = type === 'string' && !format && !schema.enum;
  const listed = type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  const within = (text: string): boolean =>
    listed
      ? listed.includes(text)
      : type === 'number'
        ? isDecimal(schema, text)
        : type === 'integer'
          ? /^(?:0|-?[1-9]\d*)$/.test(text) && BigInt(text) >= minimum && BigInt(text) <= maximum
          : isText && matches(schema, text);
  const beyond = fc.oneof(fc.constant(1n), fc.bigInt(1n, 10n ** 30n));
  const numbers = [
    beyond.map((by) => String(maximum + by)),
    beyond.map((by) => String(minimum - by)),
    fc.constantFrom(
      '1.0',
      '1e1',
      '+5',
      '05',
      '-0',
      '0x10',
      '0b1',
      '1_0',
      '1,0',
      ' 5',
      '5 ',
      '5\n',
      '٣',
      '５',
      '--1',
    ),
  ];
  const words = [
    fc.constantFrom(...(listed ?? ['x'])).chain((word) => fc.constantFrom(word.toUpperCase(), `${word} `)),
  ];
  return fc
    .oneof(
      ...(type === 'integer'
        ? numbers
        : format !== undefined && format in FORMATS
          ? [FORMATS[format]!.invalid.filter((text) => text !== '')]
          : isText
            ? [fc.constantFrom(' ', 'x'.repeat(lengths(schema).max + 1))]
            : words),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc.constantFrom('null', 'undefined', 'NaN', 'true', '{}', '\0', '../x'),
    )
    .filter((text) => !within(text))
    .map((text) => encodeURIComponent(text));
}

/** Requests whose query has exactly one invalid parameter, one of some, which `spoil` adds to the valid ones. */
function withQuery(
  operation: Operation,
  parameters: readonly Parameter[],
  spoil: (given: Member[], parameter: Parameter) => fc.Arbitrary<Member[]>,
): Requests {
  if (parameters.length === 0) return undefined;
  return fc.tuple(pathOf(operation), fc.constantFrom(...parameters)).chain(([path, parameter]) =>
    queryOf(operation.query.filter((other) => other !== parameter))
      .chain((given) => spoil(given, parameter))
      .chain((query) => fc.shuffledSubarray(query, { minLength: query.length }))
      .map((query) => toRequest(operation, { path, query, body: undefined })),
  );
}

function withPath(operation: Operation, { name }: Parameter, value: fc.Arbitrary<string>): Requests {
  const { body } = operation;
  const bodies = body
    ? membersOf(body).chain((members) => bodyOf(operation, members))
    : fc.constant(undefined);
  return fc.tuple(value, bodies).map(([text, given]) =>
    toRequest(operation, {
      path: { text: operation.path.replace(`{${name}}`, () => text), says: {} },
      query: [],
      body: given,
    }),
  );
}

function withKey(operation: Operation, credentials: fc.Arbitrary<string | undefined>): Requests {
  return fc
    .tuple(allowedRequests(operation), credentials)
    .map(([sent, authorization]) => ({ ...sent, headers: { ...sent.headers, authorization } }));
}
