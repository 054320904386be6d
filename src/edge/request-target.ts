import { API_PREFIX } from '../common/api-prefix.js';

const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;
const BROKEN = /%(?![\da-f]{2})/i;

/**
 * A request target as all further code is to see it: without the address of a server in front, which HTTP allows,
 * and with nothing encoded in its path that needs no encoding (RFC 3986, 6.2.2.2). Both are other ways to write it.
 */
export function normalTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%')) return target;
  const [, path = '', rest = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(target) ?? [];
  // What is broken stays so, to be refused: '%%37%30' must not become '%70', and then 'p'.
  const normal = BROKEN.test(path) ? path : path.replace(UNRESERVED, decodeURIComponent);
  // What is no path, such as the asterisk of OPTIONS, becomes one that leads nowhere.
  return (normal.startsWith('/') ? normal : `/${normal}`) + rest;
}

/** Whether a target, in its normal form, is one of the interface, and not of what surrounds it. */
export function isOfInterface(target: string): boolean {
  if (!target.startsWith(API_PREFIX)) return false;
  const next = target[API_PREFIX.length];
  return next === undefined || next === '/' || next === '?';
}
