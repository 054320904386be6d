import { describe, expect, it } from '@jest/globals';
import { KEY_HEADER } from '../responses/idempotency-key.js';
import { describeHeaders } from './describe-headers.js';
import type { OperationObject } from './openapi-types.js';

describe('describeHeaders', () => {
  const recallToy = (): OperationObject => ({ operationId: 'recallToy', responses: {} });

  it.each(['post', 'patch', 'delete'])('refuses a %s that cannot be repeated', (method) => {
    expect(() => describeHeaders(recallToy(), method)).toThrow(
      'recallToy takes no Idempotency-Key: add @Repeatable(), or @Created, @Updated or @Deleted.',
    );
    const parameters = [{ name: KEY_HEADER, in: 'header' as const }];
    expect(() => describeHeaders({ ...recallToy(), parameters }, method)).not.toThrow();
  });

  it.each(['get', 'put'])('needs no key for a %s', (method) => {
    expect(() => describeHeaders(recallToy(), method)).not.toThrow();
  });
});
