import { expect } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { methodsOf } from '../support/allowed-methods.js';
import { knownErrors } from '../support/known-errors.js';
import type { Service } from '../support/service.js';
import type { RawAnswer } from './exchange.js';
import type { More } from './notation.js';

/** Must not appear in an error: stack traces, file names, SQL, names of libraries. */
const INTERNALS =
  /node_modules|\.[cm]?[jt]s\b|\n\s+at |node:|file:|nestjs|fastify|passport|typeorm|pglite|postgres|lossless|llhttp|HPE_|ERR_|QueryFailed|syntax error|\bselect\b.*\bfrom\b|\binsert into\b/i;

/** Checks the rules for all answers; the caller has compared status and code already. */
export async function expectAnswerTo(
  request: string,
  answer: RawAnswer,
  more: More,
  service: Service,
  document: OpenAPIObject,
): Promise<void> {
  const { status, headers } = answer;
  const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(request) ?? [];
  const path = pathOf(target);
  expect(status).toBeLessThan(500);
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
    ...(/^\/v1(\/|$)/.test(path) && { 'cache-control': 'no-store' }),
    ...(status === 401 && { 'www-authenticate': challengeOf(answer) }),
    ...((status === 405 || (status === 204 && method === 'OPTIONS')) && { allow: allowOf(path, document) }),
    ...(saysPatchTypes(method, answer) && {
      'accept-patch': 'application/json, application/merge-patch+json',
    }),
    ...([429, 503].includes(status) && { 'retry-after': expect.stringMatching(/^\d+$/) }),
  });
  expectDeprecation(/^(GET|HEAD)$/.test(method) && /^\/v1\/pets\/[^/]+$/.test(path), answer);
  if (status === 204) expect(headers).not.toHaveProperty('content-length');
  else if (status >= 400 && method !== 'HEAD') expectError(answer, document);
  else expectType(answer);
  if (status === 201) await expectStored(request, answer, more, service);
}

/** RFC 5789: the media types of a PATCH are named where a client can learn them. */
function saysPatchTypes(method: string, { status, headers }: RawAnswer): boolean {
  return method === 'OPTIONS'
    ? /\bPATCH\b/.test(headers['allow'] ?? '')
    : method === 'PATCH' && status === 415;
}

/** Routes outside the API are read-only. */
function allowOf(path: string, document: OpenAPIObject): string {
  return path.startsWith('/v1/') ? methodsOf(document, path).join(', ') : 'GET, HEAD, OPTIONS';
}

/** The path of a request target: without query and origin, decoded once. */
function pathOf(target: string): string {
  const path = target.replace(/[?#].*/s, '').replace(/^http:\/\/[^/]*/, '') || '/';
  try {
    // An encoded slash is not a path separator.
    return decodeURIComponent(path.replace(/%2f/gi, '%252f'));
  } catch {
    return path;
  }
}

function expectError({ status, headers, body }: RawAnswer, document: OpenAPIObject): void {
  const { code } = JSON.parse(body) as { code: string };
  expect(JSON.parse(body)).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/s), status });
  expect(knownErrors(document).get(code)).toBe(status);
  expectType({ status, headers, body });
}

function expectType({ headers }: RawAnswer): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': expect.stringMatching(/^\d+$/),
  });
}

function challengeOf({ body }: RawAnswer): unknown {
  const plain = 'Bearer realm="animal-store"';
  if (body === '') return expect.stringContaining(plain);
  return body.includes('missing_api_key') ? plain : `${plain}, error="invalid_token"`;
}

/** All answers of getPet have deprecation headers, also those sent before routing, and no others. */
function expectDeprecation(isGetPet: boolean, { headers }: RawAnswer): void {
  if (isGetPet) {
    expect(headers).toMatchObject({
      deprecation: expect.stringMatching(/^@\d+$/),
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: expect.stringMatching(/rel="successor-version".*rel="deprecation"/),
    });
  } else {
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
  }
}

/** Expects that the created animal equals the request, and reads back the same. */
async function expectStored(
  request: string,
  { headers, body }: RawAnswer,
  more: More,
  service: Service,
): Promise<void> {
  const start = request.indexOf('\r\n\r\n') + 4;
  const [, length = '0'] = /^content-length: (\d+)/im.exec(request.slice(0, start)) ?? [];
  const text = Buffer.from(request.slice(start, start + Number(length)), 'latin1').toString();
  const sent = /^\s*\{/.test(text) ? (JSON.parse(text) as { name: string; status?: string }) : undefined;
  const back = JSON.parse(body) as { name: string; status?: string };
  if (sent)
    expect({ name: back.name, status: back.status }).toEqual({ name: sent.name, status: sent.status });
  if (more.categoryId !== undefined) expect(body).toContain(`"categoryId":${more.categoryId}`);
  const read = await service.get(headers['location'] ?? '');
  expect(read.text).toBe(body);
}

export function expectNothingLeaked({ status, headers, body }: RawAnswer, key: string): void {
  const all = `${JSON.stringify(headers)}${body}`;
  expect(all).not.toContain(key);
  expect(all).not.toContain(key.slice('pets_test_'.length, -6));
  expect(headers).not.toHaveProperty('server');
  expect(headers).not.toHaveProperty('x-powered-by');
  if (status >= 400) expect(all).not.toMatch(INTERNALS);
}
