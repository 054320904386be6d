import { expect } from '@jest/globals';
import { allErrors } from '../../../src/api/errors.js';
import type { Answer } from './client.js';

const EVERY_ANSWER = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
};

/** The code of every error, and its status. */
const STATUS: Record<string, number> = {
  ...only(400, 'invalid_json missing_field invalid_field unknown_field invalid_parameter unknown_parameter'),
  ...only(400, 'bad_request invalid_idempotency_key'),
  ...only(401, 'missing_api_key invalid_api_key expired_api_key'),
  ...only(403, 'read_only_key'),
  ...only(404, 'not_found'),
  ...only(405, 'method_not_allowed'),
  ...only(408, 'request_timeout'),
  ...only(409, 'animal_not_available order_complete idempotency_key_reused'),
  ...only(410, 'gone'),
  ...only(413, 'payload_too_large'),
  ...only(414, 'uri_too_long'),
  ...only(415, 'unsupported_media_type'),
  ...only(429, 'rate_limited'),
  ...only(431, 'headers_too_large'),
  ...only(500, 'internal_error'),
  ...only(503, 'service_unavailable'),
};

function only(status: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, status]));
}

/** Asserts status, the exact Error body and the common headers. A code that a feature declares has the status declared. */
export function expectError(answer: Answer, code: string, message: unknown = expect.any(String)): void {
  const status = STATUS[code] ?? allErrors().find((one) => one.code === code)?.status;
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { code, message, status } });
  expect(answer.headers).toMatchObject(EVERY_ANSWER);
}

/** Asserts status, the exact body and the common headers of a success. */
export function expectAnswer(answer: Answer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body });
  expect(answer.headers).toMatchObject({ ...EVERY_ANSWER, 'cache-control': 'no-store' });
}

/** Sends requests at once: exactly one succeeds, whose answer it returns, and all others are refused with the code. */
export async function expectOneWinner(
  count: number,
  send: (i: number) => Promise<Answer>,
  code: string,
): Promise<Answer> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => send(i)));
  const won = answers.filter(({ status }) => status < 300);
  for (const answer of answers) if (!won.includes(answer)) expectError(answer, code);
  expect(won).toHaveLength(1);
  return won[0]!;
}
