import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Config } from '../common/config.js';

// A key is `pets_live_` or `pets_test_`, 32 random base62 characters (190 bits), and a checksum of 6 characters. Secret
// scanners recognise the prefix, and with the checksum, a mistyped key is refused without a look-up.
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^(pets_(?:live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export const prefixOf = (environment: Config['keyEnvironment']): string => `pets_${environment}_`;

export function generateKey(environment: Config['keyEnvironment']): string {
  const secret = Array.from({ length: 32 }, () => BASE62[randomInt(BASE62.length)]).join('');
  const body = prefixOf(environment) + secret;
  return body + checksum(body);
}

/** Whether a text has the form and the checksum of a key, of any deployment. */
export function isKey(text: string): boolean {
  const [, body, check] = FORM.exec(text) ?? [];
  return body !== undefined && checksum(body) === check;
}

/** The hash that is stored, in base64. A slow hash would not help, because nobody can guess 190 random bits. */
export const hashKey = (key: string): string => hash('sha256', key, 'base64');

export const hintOfKey = (key: string): string => `${key.slice(0, 'pets_live_'.length + 4)}…`;

function checksum(body: string): string {
  const crc = crc32(body);
  return [5, 4, 3, 2, 1, 0].map((power) => BASE62[Math.floor(crc / 62 ** power) % 62]).join('');
}
