import { API_PREFIX } from '../common/api-prefix.js';

const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;
const BROKEN = /%(?![\da-f]{2})/i;

/**
 * Normalises a request target: removes scheme and host, which HTTP allows, and decodes unreserved characters of the
 * path (RFC 3986, 6.2.2.2). Both forms are equivalent. Only `findFault` sees the original.
 */
export function normaliseTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target;
  const [, path = '', rest = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(target) ?? [];
  // A malformed path stays as it is and is refused later: '%%37%30' must not become '%70', and then 'p'.
  const normal = BROKEN.test(path) ? path : path.replace(UNRESERVED, decodeURIComponent);
  // Other targets, such as the asterisk of OPTIONS, become an unknown path.
  return (normal.startsWith('/') ? normal : `/${normal}`) + rest;
}

/** Tells whether a normalised target belongs to the API, as opposed to health checks and documentation. */
export function isApiTarget(target: string): boolean {
  if (!target.startsWith(API_PREFIX)) return false;
  const next = target[API_PREFIX.length];
  return next === undefined || next === '/' || next === '?';
}
