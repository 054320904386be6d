import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../api/errors/api-error.js';
import { LIMITS } from '../limits.js';
import { countHeader, sizeOf } from './raw-headers.js';

/** Returns an error when a request violates our HTTP rules, which are stricter than those of the parser. */
export function findFault(request: IncomingMessage, target: string): ApiError | undefined {
  if (target.length > LIMITS.urlBytes) return new ApiError('uri_too_long');
  const { rawHeaders } = request;
  if (rawHeaders.length > 2 * LIMITS.headers)
    return new ApiError('headers_too_large', `The request has more than ${LIMITS.headers} headers.`, END);
  if (sizeOf(rawHeaders) > LIMITS.headerBytes) return new ApiError('headers_too_large', undefined, END);
  const fault = faultOf(request, target);
  return fault === undefined ? undefined : new ApiError('bad_request', fault, END);
}

/** Where such a request ends may be uncertain, so its connection is not used again. */
const END = { connection: 'close' };

function faultOf({ httpVersion, headers, rawHeaders }: IncomingMessage, target: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The request must be of HTTP/1.1.';
  if (target.includes('#')) return 'The request target must not have a fragment.';
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    return 'The request must have exactly one Host header.';
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return 'The one Transfer-Encoding is chunked, in HTTP/1.1.';
  }
  return undefined;
}
