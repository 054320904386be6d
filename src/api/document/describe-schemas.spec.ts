import { describe, expect, it } from '@jest/globals';
import { checkAnswers } from './describe-schemas.js';
import type { ComponentsObject, OperationObject } from './openapi-types.js';
import { schemaRef } from './operations.js';

const answering = (name: string): OperationObject => ({
  operationId: 'getToy',
  responses: { 200: { description: '', content: { 'application/json': { schema: schemaRef(name) } } } },
});
const components = {
  schemas: {
    Toy: { type: 'object', properties: { size: { type: 'string' } } },
    Cleared: { type: 'object', properties: { size: { type: 'string', nullable: true } } },
    Defaulted: { type: 'object', properties: { size: { type: 'string', default: 's' } } },
    Box: { type: 'object', properties: { toys: { type: 'array', items: schemaRef('Cleared') } } },
  },
} as ComponentsObject;

describe('An answer', () => {
  it('has neither null nor defaults, also in nested objects', () => {
    expect(() => checkAnswers(answering('Toy'), components)).not.toThrow();
    expect(() => checkAnswers(answering('Cleared'), components)).toThrow(
      'getToy answers Cleared.size, which may be null',
    );
    expect(() => checkAnswers(answering('Defaulted'), components)).toThrow(
      'getToy answers Defaulted.size with a default',
    );
    expect(() => checkAnswers(answering('Box'), components)).toThrow('getToy answers Cleared.size');
  });
});
