import * as doc from './documents.js';
import type { Answer } from '../support/scripted-server.js';
import type { Use } from './generated-client.js';

const { int64, text, ref, listOf, objectOf, json, inPath, nothing, answers } = doc;

/** Not a safe integer of JavaScript. */
export const LARGE = 9007199254740993n;
export const components = {
  schemas: {
    Toy: objectOf({ id: int64, name: text }),
    NewToy: objectOf({ name: text, price: { ...text, format: 'decimal', default: '0.10' } }, ['name']),
    ToyPatch: objectOf({ name: text, shipDate: { type: ['string', 'null'], format: 'date-time' } }, []),
    Toys: listOf(ref('Toy')),
    Colour: { type: 'string', enum: ['red', 'blue'] },
    Address: objectOf({ city: text, floor: int64 }, ['city']),
    Tree: objectOf({ id: int64, children: listOf(ref('Tree')) }),
    Folder: objectOf({ name: text, folders: listOf(ref('Folder')) }),
    Cat: objectOf({ kind: { const: 'cat' }, id: int64 }),
    Dog: objectOf({ kind: { const: 'dog' }, age: { type: 'integer', format: 'int32' } }),
    Id: int64,
  },
  parameters: { ToyId: inPath('toyId') },
  requestBodies: { NewToy: { required: true, ...json(ref('NewToy')) } },
  responses: { Toy: json(ref('Toy')) },
};
export const toy = { id: LARGE, name: 'Bear' };
export const toyText = `{"id":${LARGE},"name":"Bear"}`;

/** A shape of documents, a call that uses it, what the server receives and answers, and what the call returns. */
export interface Shape extends doc.Operation, Use {
  /** What the server receives: the request line, and headers and a body if they matter. */
  readonly sent?: string | readonly string[];
  readonly headers?: object;
  readonly body?: string;
  readonly answered?: string | readonly Answer[];
  readonly value?: unknown;
}

/** An operation that answers this schema, with what its answer becomes. */
export const answer = (
  operationId: string,
  schema: object,
  type: string,
  answered: string,
  value: unknown,
): Shape => ({
  on: `GET /${operationId}`,
  operation: { operationId, responses: answers(schema) },
  call: `store.${operationId}()`,
  type,
  answered,
  value,
});

/** An operation with these query parameters, called with a query. */
export const query = (operationId: string, parameters: object[], given: string, sent: string): Shape => ({
  on: `GET /${operationId}`,
  operation: { operationId, parameters, responses: nothing },
  call: `store.${operationId}(${given})`,
  type: 'void',
  answered: [{ status: 204 }],
  sent: `GET /${operationId}${sent}`,
});

export const byHand = (name: string, shape: Omit<Shape, 'operation'>, operation: object): [string, Shape] => [
  name,
  { ...shape, operation: { operationId: shape.call.replace(/.*store\.(\w+).*/s, '$1'), ...operation } },
];
