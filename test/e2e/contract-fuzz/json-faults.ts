import fc from 'fast-check';
import { type Requests, withHeader, withMembers, withText } from './bodies.js';
import type { Operation, Schema } from './document.js';
import { limitOf, type Member, padded } from './requests.js';
import { allowed, asJson } from './values.js';

export const repeatedField = (operation: Operation): Requests =>
  withMembers(operation, (members, { properties = {} }) =>
    fc
      .constantFrom(...members)
      .chain((member) =>
        fc
          .tuple(
            fc.oneof(fc.constant(member.json), again(properties, member)),
            fc.nat({ max: members.length }),
          )
          .map(([json, at]) => members.toSpliced(at, 0, { name: member.name, json })),
      ),
  );

export const cutShort = (operation: Operation): Requests =>
  withText(operation, (text) =>
    fc.nat({ max: [...text].length - 1 }).map((at) => [...text].slice(0, at).join('')),
  );

export const surrounded = (operation: Operation): Requests =>
  withText(operation, (text) =>
    fc.oneof(
      fc
        .constantFrom('x', ',', '}', ']', '{}', '""', '0', '\0', ';', '//', '\ufeff')
        .map((after) => text + after),
      fc.constantFrom('\ufeff', 'x', ',', ")]}',\n", '\0', '\u00a0', '[').map((before) => before + text),
    ),
  );

export const almostJson = (operation: Operation): Requests =>
  withText(operation, (text) =>
    fc.oneof(
      fc.constantFrom('\0', '\t', '\n', '\x1f').map((control) => text.replace('"', `"${control}`)),
      fc
        .constantFrom(
          'NaN',
          'Infinity',
          '-',
          '01',
          '+1',
          '.5',
          '1.',
          '1e',
          '0x1',
          "'x'",
          'undefined',
          'True',
          '[1,]',
        )
        .map((value) => text.replace('{', `{"x":${value},`)),
      fc.constantFrom('"\\x41"', '"\\u12"', '"\\u{41}"').map((value) => text.replace('{', `{"x":${value},`)),
      fc.constantFrom(',', '/* */', '// x\n', "'x':1,", 'x:1,').map((odd) => text.replace('{', `{${odd}`)),
      fc.constant(text.replace(/\}\s*$/, ',}')),
      fc.constant(text.replace(':', '=')),
    ),
  );

export const notAnObject = (operation: Operation): Requests =>
  withText(operation, (text) =>
    fc.oneof(
      fc.json({ maxDepth: 2 }).filter((json) => !json.startsWith('{')),
      fc.constant(`[${text}]`),
      fc.constant(JSON.stringify(text)),
    ),
  );

export const notUtf8 = (operation: Operation): Requests =>
  withText(operation, (text) =>
    fc
      .constantFrom('ff', 'c0af', '80', 'eda080', 'e282', 'f4908080', 'fe', 'f0808080')
      .map((odd) =>
        Buffer.concat([Buffer.from(text.replace('{', '{"x":"')), Buffer.from(odd, 'hex'), Buffer.from('"}')]),
      ),
  );

export const otherMediaType = (operation: Operation): Requests =>
  withHeader(operation, 'content-type', [
    undefined,
    ...OTHER_MEDIA_TYPES.filter((type) => !operation.mediaTypes.includes(type)),
  ]);

const OTHER_MEDIA_TYPES = [
  '',
  'text/plain',
  'text/json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '*/*',
  'json',
  'application/json5',
  'application/problem+json',
  'application/merge-patch+json',
  'application/json/',
  ';application/json',
  'application/json, text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json; version=1',
];

export const contentCoding = (operation: Operation): Requests =>
  withHeader(operation, 'content-encoding', ['gzip', 'br', 'deflate', 'zstd', 'identity', 'utf-8', 'x']);

export const tooLarge = (operation: Operation): Requests =>
  withText(operation, (text) => {
    const limit = limitOf(operation, 'payload_too_large');
    return fc.oneof(fc.constant(1), fc.integer({ min: 1, max: limit })).map((by) => padded(text, limit + by));
  });

/** A valid value for a field. */
function again(properties: Readonly<Record<string, Schema>>, { name }: Member): fc.Arbitrary<string> {
  return allowed(properties[name] ?? {}).chain(asJson);
}
