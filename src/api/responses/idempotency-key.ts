import { declareError } from '../errors/declare-error.js';

export const KEY_HEADER = 'Idempotency-Key';
export const REPLAYED_HEADER = 'Idempotency-Replayed';

/** How long a repetition gets the first answer. */
export const KEPT_HOURS = 24;

const VISIBLE = '[!#-~]{1,255}';
/** Visible ASCII. Within quotes, a backslash would be an escape. */
const QUOTED = '"([!#-[\\]-~]{1,255})"';

/** The one header of the caller. Described and enforced by the same pattern. */
export const KEY_PATTERN = `^(?:${VISIBLE}|${QUOTED})$`;
const PATTERN = new RegExp(KEY_PATTERN);

export const invalidIdempotencyKey = declareError('invalid_idempotency_key', {
  status: 400,
  when: `The header ${KEY_HEADER} is not one key of 1 to 255 visible ASCII characters.`,
  advice: `Send \`${KEY_HEADER}\` once, with a new UUID for each change.`,
});

export const idempotencyKeyReused = declareError('idempotency_key_reused', {
  status: 409,
  when: `The ${KEY_HEADER} belongs to another request body.`,
  advice: 'Repeat with the bytes of the first request, or take a new key for another change.',
});

/** The key without its quotes. @throws {ApiError} */
export function readIdempotencyKey(value: unknown): string {
  const match = typeof value === 'string' ? PATTERN.exec(value) : null;
  if (!match) throw invalidIdempotencyKey();
  return match[1] ?? match[0];
}
