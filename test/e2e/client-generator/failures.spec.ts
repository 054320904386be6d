import { describe, expect, it } from '@jest/globals';
import * as doc from './documents.js';
import { clientOperations } from './generated-client.js';

const { int64, text, ref, listOf, objectOf, json, inPath, inQuery, inHeader, nothing, answers } = doc;

const generated = (operation: object, on = 'GET /toys', components = {}): string =>
  clientOperations(doc.documentOf([{ on, operation: { operationId: 'getToy', ...operation } }], components));

const answering = (schema: object) => [{ responses: answers(schema) }] as const;
const within = (Toy: object, others = {}) =>
  [{ responses: answers(ref('Toy')) }, 'GET /toys', { schemas: { Toy, ...others } }] as const;
const taking = (parameter: object, on?: string) =>
  [{ parameters: [parameter], responses: nothing }, on] as const;

describe('The client generator refuses', () => {
  it.each<[string, string, readonly [operation: object, on?: string, components?: object]]>([
    ['an unknown keyword', 'getToy: Toy.a: the keyword "not"', within(objectOf({ a: { not: {} } }))],
    [
      '"nullable"',
      'getToy: Toy.a: "nullable" means nothing',
      within(objectOf({ a: { ...text, nullable: true } })),
    ],
    [
      'a schema without a type',
      'getToy: answer.a[]: the schema has no',
      answering(objectOf({ a: listOf({}) })),
    ],
    [
      'an object without members',
      'getToy: answer.a: the object does not',
      answering(objectOf({ a: { type: 'object' } })),
    ],
    ['a list without items', 'getToy: answer: the array does not', answering({ type: 'array' })],
    [
      'an object with members of both kinds',
      'getToy: answer: the object has both',
      answering({ ...objectOf({ a: text }), additionalProperties: text }),
    ],
    [
      'a required member that nobody describes',
      'member "b" is required',
      answering(objectOf({ a: text }, ['b'])),
    ],
    ['binary data', 'getToy: answer: binary', answering({ type: 'string', format: 'binary' })],
    ['a decimal as a number', 'Describe it as a string', answering({ type: 'number', format: 'decimal' })],
    [
      'a decimal that may have 16 digits',
      'getToy: answer.price: the decimal may have more than the 15 digits',
      answering(objectOf({ price: { type: 'number', minimum: 0, maximum: 1e14, multipleOf: 0.01 } })),
    ],
    [
      'a decimal without bounds',
      'getToy: answer: the decimal may have more',
      answering({ type: 'number', multipleOf: 0.01 }),
    ],
    ['an integer beyond 64 bits', '"uint64" may not fit', answering({ type: 'integer', format: 'uint64' })],
    ['a constant beyond 53 bits', 'too many digits', answering({ ...int64, enum: [2 ** 60] })],
    [
      'a type beside a reference',
      '"$ref" stands beside "type"',
      answering({ ...ref('Toy'), type: 'object' }),
    ],
    ['a reference to nothing', 'the document has no "#/components/schemas/Nobody"', answering(ref('Nobody'))],
    [
      'a 64-bit integer that is another number in an alternative',
      'getToy: answer.id: a number is a 64-bit integer in one alternative',
      answering({ oneOf: [objectOf({ id: int64 }), objectOf({ id: { type: 'number' } })] }),
    ],
    [
      'alternatives that contain themselves in the same place',
      'the alternatives contain themselves',
      within(
        { oneOf: [ref('A'), ref('B')] },
        { A: objectOf({ a: listOf(ref('A')) }), B: objectOf({ a: listOf(ref('B')) }) },
      ),
    ],
    [
      'a schema that is called like a type of the client',
      '"Promise" is taken',
      [{ responses: answers(ref('Promise')) }, 'GET /x', { schemas: { Promise: objectOf({}) } }],
    ],
    [
      'a body that is not JSON',
      'getToy: body: no media type is JSON: text/csv',
      [{ requestBody: { content: { 'text/csv': {} } }, responses: nothing }],
    ],
    [
      'an answer that is not JSON',
      'getToy: answer 200: the body',
      [{ responses: { 200: { content: { 'text/csv': { schema: text } } } } }],
    ],
    ['an operation without a success', 'getToy: no success', [{ responses: { default: json(text) } }]],
    [
      'a cookie',
      'getToy: cookie "a": parameters in "cookie"',
      taking({ name: 'a', in: 'cookie', schema: text }),
    ],
    [
      'another style',
      'getToy: query "a": the style "pipeDelimited"',
      taking(inQuery('a', listOf(text), { style: 'pipeDelimited' })),
    ],
    [
      'an object in the query',
      'getToy: query "a": the parameter has a type',
      taking(inQuery('a', objectOf({ b: text }))),
    ],
    [
      'null in the query',
      'the parameter has a type that cannot',
      taking(inQuery('a', { type: ['string', 'null'] })),
    ],
    [
      'a list in a header',
      'getToy: header "a": the parameter has a type',
      taking(inHeader('a', listOf(text))),
    ],
    ['a header that is called like an option', '"requestId" is taken', taking(inHeader('Request-Id', text))],
    ['a parameter that is not in the path', 'the path has no "{a}"', taking(inPath('a'))],
    [
      'a part of the path that nobody describes',
      'nothing describes "{b}"',
      [{ responses: nothing }, 'GET /{b}'],
    ],
    ['two arguments of one name', '"options" is taken', taking(inPath('options'), 'GET /{options}')],
    [
      'an argument that is a reserved word',
      'getToy: the name "class" is taken',
      taking(inPath('class'), 'GET /{class}'),
    ],
    [
      'an operation without an id',
      'GET /toys: the operation has no id',
      [{ operationId: undefined, responses: nothing }],
    ],
    [
      'an id that is no method',
      'Get-Toy: the id is no name',
      [{ operationId: 'Get-Toy', responses: nothing }],
    ],
    ['a method of another name', '/toys: "head" is not generated', [{ responses: nothing }, 'HEAD /toys']],
  ])('%s', (_, message, [operation, on, components]) => {
    expect(() => generated(operation, on, components)).toThrow(message);
  });

  it('two methods of one name', () => {
    const operation = { operationId: 'getToy', responses: nothing };
    const twice = [
      { on: 'GET /a', operation },
      { on: 'GET /b', operation },
    ];
    expect(() => clientOperations(doc.documentOf(twice))).toThrow('getToy: the name "getToy" is taken');
  });
});

describe('The client generator comments', () => {
  it('a deprecated operation with its end, and escapes comment terminators', () => {
    const description = 'Fetches */ a toy.\n\n**Deprecated: ends on 1 May.** Use `GET /toys`.';
    const code = generated({ deprecated: true, description, responses: nothing });
    expect(code).toContain(' * Fetches *\\/ a toy.\n');
    expect(code).toContain(' * @deprecated Ends on 1 May. Use `getToy`.\n');
  });

  it('a deprecated operation without further words', () => {
    expect(generated({ deprecated: true, responses: nothing })).toContain('@deprecated To be removed.');
    const dated = generated({ deprecated: true, 'x-sunset': '2030-12-05', responses: nothing });
    expect(dated).toContain('@deprecated To be removed on 2030-12-05.');
  });

  it.each(['experimental', 'beta'])('an operation in the stage %s, and no stable one', (stage) => {
    expect(generated({ 'x-stability': stage, responses: nothing })).toContain(
      `/** @${stage} */\nasync getToy(`,
    );
    expect(generated({ 'x-stability': 'stable', responses: nothing })).not.toContain('@stable');
  });

  it('defaults and deprecated members', () => {
    const limit = inQuery(
      'limit',
      { type: 'integer', default: 20 },
      { description: 'How many.', deprecated: true },
    );
    const comment =
      '/**\n * How many.\n *\n * @defaultValue 20\n *\n * @deprecated\n */\nreadonly limit?: number;';
    expect(generated({ parameters: [limit], responses: nothing })).toContain(comment);
  });
});
