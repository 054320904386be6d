import { describe, expect, it } from '@jest/globals';
import { describeStability } from './stability.js';
import type { OperationObject } from './openapi-types.js';

describe('describeStability', () => {
  it.each([
    [{}, 'stable'],
    [{ 'x-stability': 'beta' }, 'beta'],
    [{ 'x-stability': 'experimental' }, 'experimental'],
    [{ deprecated: true }, 'deprecated'],
    [{ 'x-stability': 'beta', deprecated: true }, 'deprecated'],
  ])('marks an operation with %j as %s', (marks, expected) => {
    const operation = { responses: {}, ...marks } as OperationObject;
    describeStability(operation);
    expect(operation).toMatchObject({ 'x-stability': expected });
  });
});
