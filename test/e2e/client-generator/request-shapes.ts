import {
  decimal,
  int64,
  text,
  ref,
  listOf,
  objectOf,
  json,
  inPath,
  inQuery,
  inHeader,
  nothing,
  answers,
} from './documents.js';
import { byHand, LARGE, query, type Shape, toy, toyText } from './shape.js';

const merge = { 'application/merge-patch+json': { schema: ref('ToyPatch') } };
const noAnswer = { type: 'void', answered: [{ status: 204 }] };

export const REQUEST_SHAPES: [string, Shape][] = [
  byHand(
    'DELETE with 204',
    {
      on: 'DELETE /toys/{toyId}',
      call: 'store.deleteToy(7n)',
      ...noAnswer,
      sent: 'DELETE /toys/7',
      body: '',
    },
    { parameters: [inPath('toyId')], responses: nothing },
  ),
  byHand(
    'another success without a body',
    {
      on: 'POST /toys/{toyId}/actions/wind',
      call: 'store.windToy(7n)',
      type: 'void',
      answered: [{ status: 202 }],
    },
    { parameters: [inPath('toyId')], responses: { 202: { description: 'Accepted.' } } },
  ),
  ...(['', toyText] as const).map((body) =>
    byHand(
      `200 or 204, answered ${body ? 200 : 204}`,
      {
        on: `GET /maybe-${body ? 'a' : 'no'}-toy`,
        call: `store.maybe${body ? 'A' : 'No'}Toy()`,
        type: 'api.Toy | undefined',
        answered: [{ status: body ? 200 : 204, body }],
        value: body ? toy : undefined,
      },
      { responses: { ...answers(ref('Toy')), ...nothing } },
    ),
  ),
  byHand(
    'PUT with a body',
    {
      on: 'PUT /toys/{toyId}',
      call: "store.putToy(7n, { name: 'Bear', price: '12.30' })",
      type: 'api.Toy',
      sent: 'PUT /toys/7',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Bear","price":"12.30"}',
      answered: toyText,
      value: toy,
    },
    {
      parameters: [inPath('toyId')],
      requestBody: { required: true, ...json(ref('NewToy')) },
      responses: answers(ref('Toy')),
    },
  ),
  byHand(
    'PATCH with several media types, of which the first JSON is sent, and null in it',
    {
      on: 'PATCH /toys/{toyId}',
      call: 'store.updateToy(7n, { shipDate: null })',
      type: 'api.Toy',
      sent: 'PATCH /toys/7',
      headers: { 'content-type': 'application/json' },
      body: '{"shipDate":null}',
      answered: toyText,
      value: toy,
    },
    {
      parameters: [inPath('toyId')],
      requestBody: {
        required: true,
        content: { 'text/csv': { schema: text }, ...json(ref('ToyPatch')).content, ...merge },
      },
      responses: answers(ref('Toy')),
    },
  ),
  byHand(
    'PATCH with a media type of its own',
    {
      on: 'PATCH /merged/{toyId}',
      call: 'store.mergeToy(7n, {})',
      ...noAnswer,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{}',
    },
    { parameters: [inPath('toyId')], requestBody: { required: true, content: merge }, responses: nothing },
  ),
  byHand(
    'a body that may be left out',
    { on: 'POST /optional', call: 'store.sendOrNot()', ...noAnswer, body: '' },
    { requestBody: json(objectOf({ id: int64 })), responses: nothing },
  ),
  byHand(
    'a body without a name, with a bigint',
    {
      on: 'POST /inline',
      call: `store.sendInline({ ids: [${LARGE}n], in: { id: 1n } })`,
      ...noAnswer,
      body: `{"ids":[${LARGE}],"in":{"id":1}}`,
    },
    {
      requestBody: { required: true, ...json(objectOf({ ids: listOf(int64), in: objectOf({ id: int64 }) })) },
      responses: nothing,
    },
  ),
  byHand(
    'decimals in a body, to the last digit',
    {
      on: 'POST /priced',
      call: 'store.sendPrices({ prices: [9999999999999.99, -1234567890123.45, 0.1, 0.07] })',
      ...noAnswer,
      body: '{"prices":[9999999999999.99,-1234567890123.45,0.1,0.07]}',
    },
    { requestBody: { required: true, ...json(objectOf({ prices: listOf(decimal) })) }, responses: nothing },
  ),
  byHand(
    'a header that may be left out, and is, beside those that the client itself sends',
    {
      on: 'POST /once',
      call: "store.once(undefined, { requestId: 'r-1', idempotencyKey: 'k 1' } satisfies api.OnceOptions)",
      ...noAnswer,
      headers: {
        'x-request-id': 'r-1',
        'x-count': undefined,
        'idempotency-key': 'k 1',
        authorization: 'Bearer key',
      },
    },
    {
      parameters: [
        inHeader('X-Count', int64),
        inHeader('Idempotency-Key', text, { required: true }),
        inHeader('Authorization', text),
      ],
      requestBody: json(ref('NewToy')),
      responses: nothing,
    },
  ),
  byHand(
    'headers, of which one is required',
    {
      on: 'POST /headers',
      call: `store.withHeaders({ tenant: 't 1', xCount: ${LARGE}n, retries: 0 })`,
      ...noAnswer,
      headers: { tenant: 't 1', 'x-count': String(LARGE) },
    },
    {
      parameters: [inHeader('Tenant', text, { required: true }), inHeader('X-Count', int64)],
      responses: nothing,
    },
  ),
  byHand(
    'several path parameters, declared in another order, on the path item, or by reference',
    {
      item: { parameters: [inPath('part-name', text)] },
      on: 'GET /toys/{toyId}/parts/{part-name}/{colour}',
      call: "store.getPart(7n, 'a/b ?%', 'red')",
      ...noAnswer,
      sent: 'GET /toys/7/parts/a%2Fb%20%3F%25/red',
    },
    {
      parameters: [inPath('colour', ref('Colour')), { $ref: '#/components/parameters/ToyId' }],
      responses: nothing,
    },
  ),
  byHand(
    'bodies and answers by reference',
    {
      on: 'POST /referenced',
      call: "store.referenced({ name: 'Bear' })",
      type: 'api.Toy',
      answered: toyText,
      value: toy,
    },
    {
      requestBody: { $ref: '#/components/requestBodies/NewToy' },
      responses: { 201: { $ref: '#/components/responses/Toy' } },
    },
  ),
  byHand(
    'operations of another tag, as a method of the same class',
    { on: 'GET /store/orders', call: 'store.listOrders()', ...noAnswer },
    { tags: ['store'], responses: nothing },
  ),

  ['nothing in the query', query('noQuery', [inQuery('limit', int64)], '', '')],
  [
    'scalars in the query',
    query(
      'scalars',
      [
        inQuery('complete', { type: 'boolean' }),
        inQuery('after', int64, { required: true }),
        inQuery('since', { ...text, format: 'date-time' }),
        inQuery('colour', { allOf: [ref('Colour')] }),
        inQuery('filter[name]', text),
      ],
      `{ complete: false, after: ${LARGE}n, since: '2030-01-01T00:00:00+01:00', colour: 'red', 'filter[name]': 'a&b' }`,
      `?complete=false&after=${LARGE}&since=2030-01-01T00%3A00%3A00%2B01%3A00&colour=red&filter%5Bname%5D=a%26b`,
    ),
  ],
  [
    'lists in the query, separated by commas',
    query(
      'commas',
      [inQuery('ids', listOf(int64), { explode: false }), inQuery('names', listOf(text), { explode: false })],
      `{ ids: [1n, ${LARGE}n], names: ['a,b', 'c d'] }`,
      `?ids=1,${LARGE}&names=a%2Cb,c%20d`,
    ),
  ],
  [
    'lists in the query, as a parameter for each value',
    query(
      'repeated',
      [inQuery('ids', listOf(ref('Id'))), inQuery('colours', listOf(ref('Colour')), { explode: true })],
      "{ ids: [1n, 2n], colours: ['red'] }",
      '?ids=1&ids=2&colours=red',
    ),
  ],
  [
    'empty lists in the query, which do not ask for everything',
    query(
      'emptyLists',
      [inQuery('a', listOf(int64), { explode: false }), inQuery('b', listOf(int64))],
      '{ a: [], b: [] }',
      '?a=&b=',
    ),
  ],
];

/** Calls that must not compile. */
export const MISTAKES = [
  'store.deleteToy(7)',
  'store.withHeaders()',
  'store.withHeaders({ xCount: 1n })',
  'store.scalars()',
  'store.scalars({ after: 1 })',
  "store.commas({ ids: ['1'] })",
  'store.updateToy(7n, { name: null })',
  "store.getPart(7n, 'a', 'green')",
  "store.putToy(7n, { name: 'Bear', price: 1.5 })",
  'store.putToy(7n)',
];
