import type { OperationObject } from './types.js';
import type { DeprecationPolicy } from '../deprecation/deprecation-policy.js';
import { headerRef, responsesOf } from './operations.js';

/** Answers that are given before it is known which operation is meant. */
const BEFORE_ROUTING = new Set(['400', '408', '414', '431', 'default']);

/** Writes a policy into the document: the words, the date for tools, and the headers of every answer. */
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
