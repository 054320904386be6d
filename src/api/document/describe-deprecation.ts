import type { OperationObject } from './openapi-types.js';
import type { DeprecationPolicy } from '../deprecation/deprecation-policy.js';
import { headerRef, responsesOf } from './operations.js';

/** The statuses of responses that are sent before routing, when the operation is not known. */
const BEFORE_ROUTING = new Set(['400', '408', '414', '431', 'default']);

/** Documents a policy: a description, the sunset for tools, and the headers of every response. */
export function describeDeprecation(operation: OperationObject, policy: DeprecationPolicy): void {
  operation.deprecated = true;
  operation.description = [operation.description, policy.description].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': policy.terms.sunsetOn.toISOString().slice(0, 10),
    'x-deprecation': policy.notice,
  });
  for (const [status, response] of responsesOf(operation)) {
    if (BEFORE_ROUTING.has(status)) continue;
    response.headers = {
      ...response.headers,
      Deprecation: headerRef('Deprecation') as never,
      Sunset: headerRef('Sunset') as never,
      Link: headerRef('DeprecationLinks') as never,
    };
  }
}
