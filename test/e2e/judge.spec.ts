import { describe, expect, it } from '@jest/globals';

import { Contract } from './support/contract.js';

/** A document with one operation, whose answer has one member. */
const contractFor = (schema: object): Contract =>
  new Contract(
    JSON.stringify({
      paths: {
        '/toys': {
          get: {
            operationId: 'getToy',
            responses: {
              200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Toy' } } } },
            },
          },
        },
      },
      components: { schemas: { Toy: { type: 'object', properties: { at: schema } } } },
    }),
  );

const judge = (schema: object, json: string): void =>
  contractFor(schema).check('GET', '/v1/toys', {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text: `{"at":${json}}`,
    json: undefined,
  });

describe('The judge of answers', () => {
  const moment = { type: 'string', format: 'date-time' };

  it('takes a moment in UTC with milliseconds only', () => {
    expect(() => judge(moment, '"2026-03-31T14:30:00.000Z"')).not.toThrow();
    for (const odd of [
      '2026-03-31T14:30:00Z',
      '2026-03-31T16:30:00.000+02:00',
      '2026-02-30T00:00:00.000Z',
      'x',
    ]) {
      expect(() => judge(moment, `"${odd}"`)).toThrow('must match format "date-time"');
    }
  });

  it('fails on a format that it does not know', () => {
    expect(() => judge({ type: 'string', format: 'postcode' }, '"1000 AA"')).toThrow(
      'unknown format "postcode"',
    );
  });

  it('takes numbers that every parser keeps', () => {
    expect(() => judge({ type: 'number' }, '9999999999999.99')).not.toThrow();
    for (const odd of ['1.50', '1e3', '0.1234567890123456789']) {
      expect(() => judge({ type: 'number' }, odd)).toThrow('with the number');
    }
  });
});
