import { describe, expect, it } from '@jest/globals';

const generator = new URL('../../scripts/client/operations.mjs', import.meta.url).href;
const { clientOperations } = (await import(generator)) as { clientOperations(document: object): string };

const int64 = { type: 'integer', format: 'int64' };

/** A document with one operation that returns a toy with this field. */
const toys = (field: object, schemas = {}, operation = {}): object => ({
  info: { description: 'Toys.' },
  paths: {
    '/toys/{toyId}': {
      get: {
        operationId: 'getToy',
        parameters: [{ name: 'toyId', in: 'path', required: true, schema: int64 }],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Toy' } } } },
        },
        ...operation,
      },
    },
  },
  components: { schemas: { Toy: { type: 'object', properties: { field } }, ...schemas } },
});

describe('The client generator', () => {
  it.each([
    ['bigint', int64],
    ['number', { type: 'integer', format: 'int32' }],
    ['boolean', { type: 'boolean' }],
    ['"a" | "b"', { type: 'string', enum: ['a', 'b'] }],
    ['readonly bigint[]', { type: 'array', items: int64 }],
  ])('maps a schema to %s: %j', (type, field) => {
    expect(clientOperations(toys(field))).toContain(`readonly field?: ${type};`);
  });

  it('fails on a schema without a TypeScript equivalent', () => {
    expect(() => clientOperations(toys({ oneOf: [int64, { type: 'string' }] }))).toThrow(
      'no TypeScript type',
    );
  });

  it('fails when a member is a 64-bit integer in one schema and not in another', () => {
    const Part = { type: 'object', properties: { field: { type: 'integer', format: 'int32' } } };
    const both = {
      Toy: { type: 'object', properties: { field: int64, part: { $ref: '#/c/s/Part' } } },
      Part,
    };
    expect(() => clientOperations(toys(int64, both))).toThrow('"field" is a 64-bit integer in one schema');
  });

  it('finds 64-bit integers behind references and in arrays', () => {
    const Ids = { type: 'object', properties: { ids: { type: 'array', items: { $ref: '#/c/s/Id' } } } };
    const text = clientOperations(toys({ $ref: '#/c/s/Ids' }, { Ids, Id: int64 }));
    expect(text).toContain('new Set(["ids"])');
    const nameless = toys({ $ref: '#/c/s/List' }, { List: { type: 'array', items: int64 } });
    expect(() => clientOperations(nameless)).toThrow('"List" have no member');
  });

  it('copies the end date of a deprecated operation, and escapes comment terminators', () => {
    const description = 'Fetches */ a toy.\n\n**Deprecated: ends on 1 May.** Use `GET /toys/{toyId}`.';
    const text = clientOperations(toys(int64, {}, { deprecated: true, description }));
    expect(text).toContain(' * Fetches *\\/ a toy.\n');
    expect(text).toContain(' * @deprecated Ends on 1 May. Use `getToy`.\n');
  });
});
