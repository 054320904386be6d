import { expect } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Service } from '../support/service.js';
import { exchange, type RawAnswer } from './exchange.js';
import { expectAnswerTo, expectNothingLeaked } from './answer-rules.js';
import { HOST, KEY, type Line, message } from './notation.js';

/** The values of the placeholders in the notation. */
export type Keys = Record<'key' | 'expired' | 'revoked' | 'other' | 'unknown', string>;

/** A plain request. Its answer must come next, whatever was sent before. */
const PROBE = message(
  'GET /v1/pets?limit=1 HTTP/1.1',
  HOST,
  KEY,
  'X-Request-Id: the-probe',
  'Connection: close',
);

/** Sends the lines one by one and reports all failures together. */
export async function expectAnswers(service: Service, keys: Keys, lines: Line[]): Promise<void> {
  const { text } = await service.call('GET', '/openapi.json');
  const document = JSON.parse(text) as OpenAPIObject;
  const failures: string[] = [];
  for (const line of lines) {
    const failure = await runLine(service, keys, line, document);
    if (failure) failures.push(failure);
  }
  if (failures.length > 0) {
    throw new Error(
      `${failures.length} of ${lines.length} requests got an unexpected answer:\n\n${failures.join('\n\n')}`,
    );
  }
}

async function runLine(
  service: Service,
  keys: Keys,
  line: Line,
  document: OpenAPIObject,
): Promise<string | undefined> {
  const [expected, wire, why, more = {}] = line;
  const request = fill(wire, keys);
  const wanted = expected.split(' then ');
  let received = '';
  try {
    const result = await exchange(service.origin, {
      request,
      answers: wanted.length,
      probe: fill(PROBE, keys),
      cutOff: more.cutOff ?? false,
      ends: more.ends ?? false,
    });
    received = result.received;
    const { answers, rest, probed } = result;
    expect({ answers: answers.map(shortly), rest }).toEqual({
      answers: [...wanted, ...(probed ? ['200'] : [])],
      rest: '',
    });
    for (const [i, answer] of answers.entries()) {
      expectNothingLeaked(answer, service.key);
      await expectAnswerTo(i === 0 ? request : PROBE, answer, more, service, document);
    }
    if (probed) expect(answers.at(-1)?.headers['x-request-id']).toBe('the-probe');
    return undefined;
  } catch (error) {
    return [
      `✗ ${expected}, because: ${why}`,
      `  sent:     ${shown(request, keys)}`,
      `  received: ${shown(received, keys)}`,
      `  ${(error as Error).message.replaceAll('\n', '\n  ')}`,
    ].join('\n');
  }
}

/** Fills in the keys and the length of the body. */
function fill(wire: string, keys: Keys): string {
  const text = wire.replace(/\{(key|expired|revoked|other|unknown)\}/g, (_, name: keyof Keys) => keys[name]);
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return text.replace('{length}', () => String(body.length));
}

/** `401 missing_api_key` for an error, `200` for a success. */
function shortly({ status, body }: RawAnswer): string {
  const [, code] = /^\{"code":"(\w+)"/.exec(body) ?? [];
  return status >= 400 && code ? `${status} ${code}` : String(status);
}

/** Raw text on one line for a report: non-ASCII bytes escaped, long runs shortened, keys replaced. */
function shown(raw: string, keys: Keys): string {
  let text = raw;
  for (const [name, key] of Object.entries(keys)) text = text.replaceAll(key, `{${name}}`);
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\x7f-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)
    .replace(/(.{1,12}?)\1{8,}/g, (run, unit: string) => `${unit}…(${run.length} bytes)…`)
    .replaceAll('\\r\\n', ' ⏎ ')
    .slice(0, 1_500);
}
