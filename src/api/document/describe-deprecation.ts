import type { OperationObject } from './openapi-types.js';
import type { DeprecationPolicy } from '../deprecation/deprecation-policy.js';
import { BEFORE_ROUTING, headerRef, responsesOf } from './operations.js';

/** Statuses that may precede routing, when the operation is not known. */
const OPERATION_UNKNOWN = new Set(['400', ...BEFORE_ROUTING]);

/** Documents a policy: a description, the sunset for tools, and the headers of every response. */
export function describeDeprecation(operation: OperationObject, policy: DeprecationPolicy): void {
  operation.deprecated = true;
  operation.description = [operation.description, policy.description].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': policy.terms.sunsetOn.toISOString().slice(0, 10),
    'x-deprecation': policy.notice,
  });
  for (const [status, response] of responsesOf(operation)) {
    if (OPERATION_UNKNOWN.has(status)) continue;
    response.headers = {
      ...response.headers,
      Deprecation: headerRef('Deprecation') as never,
      Sunset: headerRef('Sunset') as never,
      Link: headerRef('DeprecationLinks') as never,
    };
  }
}
