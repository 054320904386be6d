import type { IncomingMessage } from 'node:http';
import { HEADER_BYTES, URL_BYTES } from '../api/error-catalogue.js';
import { ApiError } from '../api/errors.js';

export const MOST_HEADERS = 100;

/** Where such a request ends may be uncertain, so its connection is not used again. */
const END = { connection: 'close' };

/** What the parser of Node.js lets through and the contract does not. */
export function faultOf(request: IncomingMessage, target: string): ApiError | undefined {
  const { rawHeaders } = request;
  if (target.length > URL_BYTES) return new ApiError('uri_too_long');
  if (rawHeaders.length > 2 * MOST_HEADERS)
    return new ApiError('headers_too_large', `The request has more than ${MOST_HEADERS} headers.`, END);
  let size = rawHeaders.length * 2; // separators
  for (const text of rawHeaders) size += text.length;
  if (size > HEADER_BYTES) return new ApiError('headers_too_large', undefined, END);
  const problem = problemOf(request, target);
  return problem === undefined ? undefined : new ApiError('bad_request', problem, END);
}

function problemOf(request: IncomingMessage, target: string): string | undefined {
  const { httpVersion, headers, rawHeaders } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The request must be of HTTP/1.1.';
  if (target.includes('#')) return 'The request target must not have a fragment.';
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 'The request must have exactly one Host header.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return 'The one Transfer-Encoding is chunked, in HTTP/1.1.';
  return undefined;
}

/** Node.js drops duplicates of headers that must be unique. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) found++;
  }
  return found;
}

const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;
const BROKEN = /%(?![\da-f]{2})/i;

/**
 * Removes scheme and host, which HTTP allows, and decodes unreserved characters of the path: both forms are equivalent
 * (RFC 9112, 3.2.2; RFC 3986, 6.2.2.2).
 */
export function normaliseTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target;
  const [, path = '', rest = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(target) ?? [];
  // A malformed path stays as it is and is refused later: '%%37%30' must not become '%70', and then 'p'.
  const normal = BROKEN.test(path) ? path : path.replace(UNRESERVED, decodeURIComponent);
  // Other targets, such as the asterisk of OPTIONS, become an unknown path.
  return (normal.startsWith('/') ? normal : `/${normal}`) + rest;
}
