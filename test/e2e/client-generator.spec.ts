import { describe, expect, it } from '@jest/globals';

const generator = new URL('../../scripts/client/operations.mjs', import.meta.url).href;
const { clientOperations } = (await import(generator)) as { clientOperations(document: object): string };

const int64 = { type: 'integer', format: 'int64' };

/** A document with one operation, which answers one toy with this field. */
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

describe('The maker of the client', () => {
  it.each([
    ['bigint', int64],
    ['number', { type: 'integer', format: 'int32' }],
    ['boolean', { type: 'boolean' }],
    ['"a" | "b"', { type: 'string', enum: ['a', 'b'] }],
    ['readonly bigint[]', { type: 'array', items: int64 }],
  ])('writes %s for what it is', (type, field) => {
    expect(clientOperations(toys(field))).toContain(`readonly field?: ${type};`);
  });

  it('stops at a schema that it does not know', () => {
    expect(() => clientOperations(toys({ oneOf: [int64, { type: 'string' }] }))).toThrow(
      'no TypeScript type',
    );
  });

  it('stops at a name that is an exact integer in one place only', () => {
    const Part = { type: 'object', properties: { field: { type: 'integer', format: 'int32' } } };
    const both = {
      Toy: { type: 'object', properties: { field: int64, part: { $ref: '#/c/s/Part' } } },
      Part,
    };
    expect(() => clientOperations(toys(int64, both))).toThrow('"field" is a 64-bit integer in one schema');
  });

  it('knows exact integers behind names and in arrays', () => {
    const Ids = { type: 'object', properties: { ids: { type: 'array', items: { $ref: '#/c/s/Id' } } } };
    const text = clientOperations(toys({ $ref: '#/c/s/Ids' }, { Ids, Id: int64 }));
    expect(text).toContain('new Set(["ids"])');
    const nameless = toys({ $ref: '#/c/s/List' }, { List: { type: 'array', items: int64 } });
    expect(() => clientOperations(nameless)).toThrow('"List" have no member');
  });

  it('passes on until when a deprecated operation lives, and keeps comments closed', () => {
    const description = 'Fetches */ a toy.\n\n**Deprecated: ends on 1 May.** Use `GET /toys/{toyId}`.';
    const text = clientOperations(toys(int64, {}, { deprecated: true, description }));
    expect(text).toContain(' * Fetches *\\/ a toy.\n');
    expect(text).toContain(' * @deprecated Ends on 1 May. Use `getToy`.\n');
  });
});
