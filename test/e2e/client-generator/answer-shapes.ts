import { decimal, int64, text, ref, listOf, objectOf, json, inPath, inQuery, answers } from './documents.js';
import { answer, byHand, LARGE, type Shape, toy, toyText } from './shape.js';

const NEXT = { link: '<http://elsewhere.invalid/x?limit=1&after=b%2Fc>; rel="next"' };
const LAST = { link: '</x>; rel="first"' };

export const ANSWER_SHAPES: [string, Shape][] = [
  [
    'null, by a list of types, alternatives or an enum',
    answer(
      'nullable',
      objectOf({
        a: { type: ['string', 'null'], format: 'date-time' },
        b: { anyOf: [ref('Address'), { type: 'null' }] },
        c: { type: ['integer', 'null'], format: 'int64' },
        d: { type: ['string', 'null'], enum: ['x', null] },
        e: listOf({ type: ['object', 'null'], properties: { id: int64 } }),
        f: { oneOf: [ref('Colour'), { type: 'null' }] },
      }),
      `{ readonly a: string | null; readonly b: api.Address | null; readonly c: bigint | null;
        readonly d: 'x' | null; readonly e: readonly ({ readonly id?: bigint } | null)[];
        readonly f: api.Colour | null }`,
      `{"a":null,"b":{"city":"X","floor":${LARGE}},"c":${LARGE},"d":null,"e":[null,{"id":${LARGE}}],"f":null}`,
      { a: null, b: { city: 'X', floor: LARGE }, c: LARGE, d: null, e: [null, { id: LARGE }], f: null },
    ),
  ],
  [
    'objects in objects, inline and by reference, and lists of them',
    answer(
      'nested',
      objectOf({ home: ref('Address'), others: listOf(ref('Address')), size: objectOf({ id: int64 }) }, [
        'home',
        'size',
      ]),
      `{ readonly home: api.Address; readonly others?: readonly api.Address[]; readonly size: { readonly id: bigint } }`,
      `{"home":{"city":"X"},"others":[{"city":"Y","floor":${LARGE}}],"size":{"id":1}}`,
      { home: { city: 'X' }, others: [{ city: 'Y', floor: LARGE }], size: { id: 1n } },
    ),
  ],
  [
    'a 64-bit integer in one place and another number of the same name in another',
    answer(
      'sameName',
      objectOf({ id: int64, part: objectOf({ id: { type: 'number' } }) }),
      '{ readonly id: bigint; readonly part: { readonly id: number } }',
      `{"id":${LARGE},"part":{"id":1.5}}`,
      { id: LARGE, part: { id: 1.5 } },
    ),
  ],
  [
    '64-bit integers without a name',
    answer('bareIds', listOf(listOf(ref('Id'))), 'readonly (readonly api.Id[])[]', `[[${LARGE}],[]]`, [
      [LARGE],
      [],
    ]),
  ],
  ['a bare 64-bit integer', answer('count', int64, 'bigint', String(LARGE), LARGE)],
  [
    'maps of numbers, of objects, and of anything',
    answer(
      'maps',
      objectOf({
        counts: { type: 'object', additionalProperties: int64 },
        rates: { type: 'object', additionalProperties: { type: 'number' } },
        toys: { type: 'object', additionalProperties: ref('Toy') },
        any: { type: 'object', additionalProperties: true },
      }),
      `{ readonly counts: { readonly [name: string]: bigint }; readonly rates: { readonly [name: string]: number };
        readonly toys: { readonly [name: string]: api.Toy }; readonly any: { readonly [name: string]: unknown } }`,
      `{"counts":{"constructor":${LARGE}},"rates":{"id":0.5},"toys":{"a":${toyText}},"any":{"id":1,"b":[true]}}`,
      { counts: { constructor: LARGE }, rates: { id: 0.5 }, toys: { a: toy }, any: { id: 1, b: [true] } },
    ),
  ],
  [
    'a schema that contains itself',
    answer('tree', ref('Tree'), 'api.Tree', `{"id":1,"children":[{"id":${LARGE},"children":[]}]}`, {
      id: 1n,
      children: [{ id: LARGE, children: [] }],
    }),
  ],
  [
    'one of several schemas',
    answer(
      'oneOf',
      listOf({ oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } }),
      'readonly (api.Cat | api.Dog)[]',
      `[{"kind":"cat","id":${LARGE}},{"kind":"dog","age":3}]`,
      [
        { kind: 'cat', id: LARGE },
        { kind: 'dog', age: 3 },
      ],
    ),
  ],
  [
    'one of several lists',
    answer(
      'oneList',
      objectOf({ of: { oneOf: [listOf(ref('Cat')), listOf(ref('Dog'))] } }),
      '{ readonly of: readonly api.Cat[] | readonly api.Dog[] }',
      `{"of":[{"kind":"cat","id":${LARGE}}]}`,
      { of: [{ kind: 'cat', id: LARGE }] },
    ),
  ],
  [
    'a schema that contains itself, without a 64-bit integer',
    answer('folders', ref('Folder'), 'api.Folder', '{"name":"a","folders":[]}', { name: 'a', folders: [] }),
  ],
  [
    'several schemas at once',
    answer(
      'allOf',
      { allOf: [ref('Toy'), objectOf({ owner: int64 })] },
      'api.Toy & { readonly owner: bigint }',
      `{"id":${LARGE},"name":"Bear","owner":2}`,
      { ...toy, owner: 2n },
    ),
  ],
  [
    'constants, enums, booleans, numbers, exact decimals and strange names',
    answer(
      'plain',
      objectOf({
        one: { const: 1 },
        level: { ...int64, enum: [1, 2] },
        yes: { type: 'boolean' },
        ratio: { type: 'number', format: 'double' },
        price: { ...text, format: 'decimal' },
        'x-y': text,
        __proto: { type: ['string', 'boolean'] },
      }),
      `{ readonly one: 1; readonly level: 1n | 2n; readonly yes: boolean; readonly ratio: number;
        readonly price: string; readonly 'x-y': string; readonly __proto: string | boolean }`,
      '{"one":1,"level":2,"yes":true,"ratio":0.5,"price":"12.30","x-y":"z","__proto":false}',
      { one: 1, level: 2n, yes: true, ratio: 0.5, price: '12.30', 'x-y': 'z', __proto: false },
    ),
  ],
  [
    'decimals of up to 15 digits, to the last one',
    answer(
      'decimals',
      listOf(decimal),
      'readonly number[]',
      '[9999999999999.99,-9999999999999.99,0.10,0,1234567890123.45]',
      [9999999999999.99, -9999999999999.99, 0.1, 0, 1234567890123.45],
    ),
  ],
  byHand(
    'an answer of a media type of its own, and two successes',
    { on: 'PUT /either', call: 'store.either()', type: 'api.Toy | api.Tree', answered: toyText, value: toy },
    {
      responses: {
        200: { content: { 'application/vnd.toy+json': { schema: ref('Toy') } } },
        201: json(ref('Tree')),
      },
    },
  ),
  byHand(
    'a list in an order of its own, whose next page only the Link knows',
    {
      on: 'GET /toys/{toyId}/names',
      call: "all(store.allNamesOf(7n, { from: 'a' }))",
      type: 'string[]',
      sent: ['GET /toys/7/names?from=a', 'GET /toys/7/names?from=a&after=b%2Fc'],
      answered: [
        { body: '["a"]', headers: NEXT },
        { body: '["d"]', headers: LAST },
      ],
      value: ['a', 'd'],
    },
    {
      operationId: 'namesOf',
      parameters: [inPath('toyId'), inQuery('after', text), inQuery('from', text, { required: true })],
      responses: answers(listOf(text)),
    },
  ),
  byHand(
    'a list by id, when a proxy strips the Link',
    {
      on: 'GET /all-toys',
      call: 'all(store.toys())',
      type: 'api.Toy[]',
      sent: ['GET /all-toys', `GET /all-toys?after=${LARGE}`],
      answered: [{ body: `[${toyText}]` }, { body: '[]' }],
      value: [toy],
    },
    { operationId: 'listToys', parameters: [inQuery('after', int64)], responses: answers(ref('Toys')) },
  ),
];
