import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET = { from: 'pets_test_'.length, length: 32 };

/** A well-formed key with a valid checksum that was never issued. */
export const randomKey = () => withChecksum(`pets_test_${randomText(SECRET.length)}`);

/** All keys that differ from a real one in exactly one character of the secret, in random order. */
export function nearMisses(key) {
  const body = key.slice(0, SECRET.from + SECRET.length);
  const keys = [];
  for (let at = SECRET.from; at < body.length; at++) {
    for (const other of BASE62) {
      if (other !== body[at]) keys.push(withChecksum(body.slice(0, at) + other + body.slice(at + 1)));
    }
  }
  return shuffled(keys);
}

/** A key that shares all but the last characters of the secret with a real one. */
export function sharingPrefix(key, others = 8) {
  return withChecksum(key.slice(0, SECRET.from + SECRET.length - others) + randomText(others));
}

/** A key with a wrong checksum, which is refused without a look-up. */
export const misspelt = () => {
  const key = randomKey();
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
};

export function shuffled(items) {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const other = randomInt(i + 1);
    [result[i], result[other]] = [result[other], result[i]];
  }
  return result;
}

const randomText = (length) => Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');

/** Computes the checksum like src/auth/key-format.ts. If that changes, the service refuses these keys and the drill fails. */
function withChecksum(body) {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = `${BASE62[rest % BASE62.length]}${text}`;
    rest = Math.floor(rest / BASE62.length);
  }
  return body + text;
}
