import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './support/client.js';
import { addToApp, CratesModule } from './support/every-rule.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

describe('The fields of a feature', () => {
  let service: Service;
  beforeAll(async () => {
    addToApp(CratesModule);
    service = await startService({ rateLimitPerKey: 0 }); // a deployment has no crates
  });
  afterAll(() => service.stop());

  const pack = (json: string): Promise<Answer> => service.post('/v1/crates', json);
  const crate = (members: string): string => `{"address":{"city":"Rome"}${members && `,${members}`}}`;
  const change = (json: string): Promise<Answer> =>
    service.call('PATCH', '/v1/crates', {
      headers: { authorization: `Bearer ${service.key}` },
      body: json,
    });

  it('are answered as they came, to the digit and the millisecond', async () => {
    const sent = crate(
      '"items":[{"petId":9007199254740993,"price":0.10},{"petId":-1}],"sizes":["large","small"],' +
        '"shipDate":"2026-03-31T16:30:00.5+02:00","price":9999999999999.99,"quantity":7,"closed":true',
    );
    const { status, text } = await pack(sent);
    expect({ status, text }).toEqual({
      status: 200,
      text:
        '{"address":{"city":"Rome"},"quantity":7,"closed":true,' +
        '"items":[{"petId":9007199254740993,"price":0.1},{"petId":-1}],"sizes":["large","small"],' +
        '"shipDate":"2026-03-31T14:30:00.500Z","price":9999999999999.99}',
    });
  });

  it('have their defaults, and no others', async () => {
    expectAnswer(await pack(crate('')), 200, { address: { city: 'Rome' }, quantity: 1, closed: false });
  });

  it.each([
    ['{}', 'missing_field', 'The field "address" is missing; it must be an object.'],
    ['{"address":{}}', 'missing_field', 'The field "address.city" is missing; it must be a string of'],
    ['{"address":5}', 'invalid_field', 'The field "address" must be an object.'],
    ['{"address":1.5}', 'invalid_field', 'The field "address" must be an object.'],
    ['{"address":{"city":"Rome","zip":1}}', 'unknown_field', 'no field "address.zip". Known: city, contact.'],
    ['{"address":{"city":"Rome","contact":"me"}}', 'invalid_field', '"address.contact" must be an email.'],
    [crate('"items":{}'), 'invalid_field', 'The field "items" must be a list of 0 to 3 items.'],
    [crate('"items":[{"petId":1},{}]'), 'missing_field', 'The field "items[1].petId" is missing'],
    [crate('"items":[{"petId":"1"}]'), 'invalid_field', '"items[0].petId" must be an integer'],
    [crate('"items":[{"petId":"1"}]'), 'invalid_field', ': leave out the quotes.'],
    [crate('"items":[{"petId":1,"x":1}]'), 'unknown_field', 'There is no field "items[0].x".'],
    [crate('"items":[null]'), 'invalid_field', 'The field "items[0]" must be an object.'],
    [
      crate('"sizes":["small","small"]'),
      'invalid_field',
      '"sizes" must be a list of 0 to 2 items, none twice',
    ],
    [crate('"sizes":["huge"]'), 'invalid_field', 'The field "sizes[0]" must be one of small, large.'],
    [
      crate('"shipDate":"2026-02-30T00:00:00Z"'),
      'invalid_field',
      '"shipDate" must be a date-time of RFC 3339',
    ],
    [crate('"shipDate":null'), 'invalid_field', '"shipDate" must be a date-time of RFC 3339'],
    [crate('"price":0.001'), 'invalid_field', 'with at most 2 decimal places.'],
    [crate('"price":"1.50"'), 'invalid_field', ': leave out the quotes.'],
    [crate('"closed":"true"'), 'invalid_field', 'must be true or false: leave out the quotes.'],
    [crate('"quantity":0'), 'invalid_field', 'The field "quantity" must be an integer from 1 to 1000000.'],
  ] as const)('%s is refused, and the path named', async (json, code, message) => {
    expectError(await pack(json), code, expect.stringContaining(message));
  });

  it.each([
    ['{}', 'nothing'],
    ['{"shipDate":null,"size":null,"address":null}', 'shipDate: null, size: null, address: null'],
    ['{"shipDate":"0001-01-01T00:00:00Z"}', 'shipDate: Date 0001-01-01T00:00:00.000Z'],
    ['{"size":"small","closed":true}', 'size: "small", closed: true'],
  ])('%s changes what it names', async (json, got) => {
    const answer = await change(json);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ got });
  });

  it.each(['{"closed":false}', '{"closed":null}', '{"address":{}}', '{"shipDate":""}'])(
    '%s changes nothing',
    async (json) => {
      expect((await change(json)).status).toBe(400);
    },
  );

  it.each([
    ['', 'limit: 20'],
    ['?ids=3,-1,2', 'ids: [3n, -1n, 2n], limit: 20'],
    ['?ids=3%2C1', 'ids: [3n, 1n], limit: 20'],
    ['?sizes=small,large', 'sizes: ["small", "large"], limit: 20'],
    ['?closed=false&limit=5', 'closed: false, limit: 5'],
    ['?since=2026-03-31T16:30:00%2B02:00', 'since: Date 2026-03-31T14:30:00.000Z, limit: 20'],
    ['?below=1.5', 'below: "1.50", limit: 20'],
  ])('parameters are converted: %s', async (query, got) => {
    expectAnswer(await service.get(`/v1/crates${query}`), 200, { got });
  });

  it.each([
    ['ids=', 'The parameter "ids[0]" must be an integer'],
    ['ids=1,x', 'The parameter "ids[1]" must be an integer'],
    ['ids=1,1', 'The parameter "ids" must be a list of 1 to 3 items, none twice.'],
    ['ids=1,2,3,4', 'The parameter "ids" must be a list of 1 to 3 items, none twice.'],
    ['ids=1&ids=2', 'The parameter "ids" must be a list of 1 to 3 items, none twice.'],
    ['sizes=huge', 'The parameter "sizes[0]" must be one of small, large.'],
    ['closed=1', 'The parameter "closed" must be true or false.'],
    ['closed=', 'The parameter "closed" must be true or false.'],
    ['since=2026-03-31', 'The parameter "since" must be a date-time of RFC 3339'],
    ['below=1e1', 'The parameter "below" must be a number from 0'],
  ])('parameters are refused: %s', async (query, message) => {
    expectError(
      await service.get(`/v1/crates?${query}`),
      'invalid_parameter',
      expect.stringContaining(message),
    );
  });

  it('are documented in OpenAPI 3.1', async () => {
    const { components, paths } = (await service.call('GET', '/openapi.json')).json as never as {
      components: { schemas: Record<string, { properties: object; additionalProperties?: boolean }> };
      paths: Record<string, { get: { parameters: object[] } }>;
    };
    const { NewCrate, CrateChange, Crate, CrateAddress, CrateItem } = components.schemas;
    const address = { $ref: '#/components/schemas/CrateAddress' };
    const sizeRef = { $ref: '#/components/schemas/CrateSize' };
    const moment = { format: 'date-time', pattern: expect.any(String), description: 'When it goes.' };
    expect(NewCrate).toMatchObject({
      additionalProperties: false,
      required: ['address'],
      properties: {
        address: { allOf: [address], description: 'Where it goes.' },
        items: { type: 'array', items: { $ref: '#/components/schemas/CrateItem' }, maxItems: 3 },
        sizes: { type: 'array', items: sizeRef, minItems: 0, maxItems: 2, uniqueItems: true },
        shipDate: { type: 'string', ...moment },
        price: { type: 'number', minimum: 0, maximum: 9_999_999_999_999.99, multipleOf: 0.01 },
        quantity: { type: 'integer', format: 'int32', default: 1 },
        closed: { type: 'boolean', default: false },
      },
    });
    expect([CrateAddress, CrateItem]).toMatchObject([
      { additionalProperties: false },
      { additionalProperties: false },
    ]);
    expect(CrateChange!.properties).toEqual({
      shipDate: { type: ['string', 'null'], ...moment },
      packer: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 30,
        pattern: expect.any(String),
        format: 'email',
        description: 'Who packs it.',
      },
      material: expect.objectContaining({ type: ['string', 'null'], enum: ['wood', 'steel', null] }),
      size: { anyOf: [sizeRef, { type: 'null' }], description: 'Its size.' },
      address: { anyOf: [address, { type: 'null' }], description: 'Where it goes.' },
      closed: { type: 'boolean', enum: [true], description: 'Closes it.' },
    });
    expect(JSON.stringify(Crate)).not.toContain('default');
    const list = { in: 'query', required: false, style: 'form', explode: false };
    const bounds = { type: 'array', minItems: 1 };
    expect(paths['/crates']!.get.parameters).toMatchObject([
      { name: 'ids', ...list, schema: { ...bounds, items: { format: 'int64' }, uniqueItems: true } },
      { name: 'sizes', ...list, schema: { ...bounds, items: sizeRef } },
      { name: 'closed', in: 'query', schema: { type: 'boolean' } },
      { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
      { name: 'packer', in: 'query', schema: { type: 'string', format: 'email', maxLength: 30 } },
      { name: 'code', in: 'query', schema: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{1,9}$' } },
      { name: 'below', in: 'query', schema: { type: 'number', multipleOf: 0.01 } },
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
    ]);
  });
});
