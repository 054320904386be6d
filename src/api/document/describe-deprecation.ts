import type { OperationObject } from './openapi-types.js';
import type { DeprecationPolicy } from '../deprecation/deprecation-policy.js';
import { BEFORE_ROUTING, headerRef, IF_KNOWN, responsesOf } from './operations.js';

/** Statuses of malformed requests, whose operation is not always known. */
const MALFORMED = new Set(['400', ...BEFORE_ROUTING]);

/** Documents a policy: a description, the sunset for tools, and the headers of every response. */
export function describeDeprecation(operation: OperationObject, policy: DeprecationPolicy): void {
  operation.deprecated = true;
  operation.description = [operation.description, policy.description].filter(Boolean).join('\n\n');
  Object.assign(operation, {
    'x-sunset': policy.terms.sunsetOn.toISOString().slice(0, 10),
    'x-deprecation': policy.notice,
  });
  for (const [status, response] of responsesOf(operation)) {
    const suffix = MALFORMED.has(status) ? IF_KNOWN : '';
    response.headers = {
      ...response.headers,
      Deprecation: headerRef(`Deprecation${suffix}`) as never,
      Sunset: headerRef(`Sunset${suffix}`) as never,
      Link: headerRef(`DeprecationLinks${suffix}`) as never,
    };
  }
}
