import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../openapi/operations.js';
import type { Deprecations } from './deprecations.js';

/** The headers that announce a deprecation, by method and path under /v1: for answers that no guard has seen. */
export function announcementsOf(document: OpenAPIObject, deprecations: Deprecations) {
  const found = operationsOf(document).flatMap(({ method, path, operation }) => {
    const policy = deprecations.ofOperation(operation.operationId ?? '');
    if (!policy) return [];
    const pattern = new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
    return [{ method: method.toUpperCase(), pattern, headers: Object.entries(policy.headers).flat() }];
  });
  return (method: string, target: string): readonly string[] => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return found.find((one) => one.method === wanted && one.pattern.test(target))?.headers ?? [];
  };
}
