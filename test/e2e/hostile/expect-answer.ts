import { expect } from '@jest/globals';
import type { RawAnswer } from '../support/socket.js';

/** What no error may show: stack traces, files, SQL and names of libraries. */
const INTERNALS =
  /node_modules|\.[cm]?[jt]s\b|\n\s+at |node:|file:|nestjs|fastify|passport|typeorm|postgres|lossless|llhttp|HPE_|ERR_|QueryFailed|syntax error|\bselect\b.*\bfrom\b|\binsert into\b/i;

const JSON_TYPE = 'application/json; charset=utf-8';

/** `401 missing_api_key` of an error, `200` of a success, `201 categoryId 7` if the number matters. */
export function summaryOf({ status, body }: RawAnswer, expected = ''): string {
  const [, code] = /^\{"code":"(\w+)"/.exec(body) ?? [];
  if (status >= 400) return code ? `${status} ${code}` : String(status);
  const [, number] = /"categoryId":(-?\d+)/.exec(body) ?? [];
  return expected.includes('categoryId') ? `${status} categoryId ${number}` : String(status);
}

/** What holds for every answer, whatever its status and code. */
export function expectRules(request: string, answer: RawAnswer, key: string): void {
  const { status, headers, body } = answer;
  const [, method = '', target = ''] = /^(\S+) (\S+) HTTP/.exec(request) ?? [];
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
    'x-content-type-options': 'nosniff',
    date: expect.stringMatching(/ GMT$/),
    // Where such a request ends may be uncertain.
    ...(/"(bad_request|headers_too_large)"/.test(body) && { connection: 'close' }),
    ...(/^\/v1(\/|$)/.test(target) && { 'cache-control': 'no-store' }),
    ...(status === 401 && { 'www-authenticate': challengeOf(body) }),
    ...((status === 405 || status === 204) && method !== 'DELETE' && { allow: expect.stringContaining('OPTIONS') }),
    ...(status === 415 && method === 'PATCH' && { 'accept-patch': expect.any(String) }),
  });
  expectDeprecation(/^(GET|HEAD) (http:..x)?\/v1\/pets\/[^/?]/.test(`${method} ${target}`), answer);
  if (status === 204) expect(Object.keys(headers).join()).not.toMatch(/(^|,)(content-(length|type)|transfer-encoding)/);
  else expect(headers).toMatchObject({ 'content-type': JSON_TYPE, 'content-length': expect.any(String) });
  const message = expect.stringMatching(/^[A-Z].*\.$/s);
  if (status >= 400 && method !== 'HEAD')
    expect(JSON.parse(body)).toEqual({ code: expect.any(String), message, status });
  expectNothingLeaked(answer, key);
}

function challengeOf(body: string): unknown {
  const plain = 'Bearer realm="animal-store"';
  if (body === '') return expect.stringContaining(plain);
  return body.includes('missing_api_key') ? plain : `${plain}, error="invalid_token"`;
}

/** Every answer of getPet says that it is deprecated, and no other. */
function expectDeprecation(isGetPet: boolean, { status, headers }: RawAnswer): void {
  if (isGetPet && [200, 401, 404].includes(status)) {
    expect(headers).toMatchObject({
      deprecation: expect.stringMatching(/^@\d+$/),
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: expect.stringMatching(/rel="successor-version".*rel="deprecation"/),
    });
  } else if (!isGetPet) {
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
  }
}

function expectNothingLeaked({ status, headers, body }: RawAnswer, key: string): void {
  const all = `${JSON.stringify(headers)}${body}`;
  expect(all).not.toContain(key.slice('pets_test_'.length, -6));
  expect(headers).not.toHaveProperty('server');
  expect(headers).not.toHaveProperty('x-powered-by');
  if (status >= 400) expect(all).not.toMatch(INTERNALS);
}

/** A created animal has what was sent. */
export function expectSent(request: string, body: string): void {
  const sent = /\r\n\r\n(\{"name".*\})\s*$/s.exec(Buffer.from(request, 'latin1').toString())?.[1];
  if (!sent) return;
  const { name, status } = JSON.parse(sent) as { name: string; status?: string };
  expect(JSON.parse(body)).toMatchObject({ name, ...(status && { status }) });
}
