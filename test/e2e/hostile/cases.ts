import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A row of a table in `cases/`: `expected · kind · what · why`.
 *
 * The expected answers are separated by "then"; "then end" means that the server closes the connection. `what` goes into
 * the request of its kind, below. ⏎ is CR LF, ⟨0a⟩ a byte, ⟨U+200B⟩ a character, ⟨x*255⟩ a repetition (⟨20*9⟩: of a space),
 * and ⟨end⟩ the half-closing of the connection. Everything else is sent as it is written, in UTF-8.
 */
export interface Case {
  readonly expected: string[];
  /** One character for each byte. */
  readonly request: string;
  readonly closes: 'client' | 'server' | undefined;
  readonly why: string;
}

export type Keys = Record<'key' | 'revoked' | 'other' | 'unknown', string>;

const KINDS: Record<string, string> = {
  raw: '…',
  ask: '…⟨host⟩⏎⏎',
  get: 'GET …⟨host⟩⟨auth⟩⏎⏎',
  list: 'GET /v1/pets?…⟨host⟩⟨auth⟩⏎⏎',
  header: 'GET /v1/pets⟨host⟩⟨auth⟩⏎…⏎⏎',
  credential: 'GET /v1/pets⟨host⟩⏎…⏎⏎',
  body: 'POST /v1/pets⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎…',
  name: 'POST /v1/pets⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎{"name":"…","categoryId":1}',
  number: 'POST /v1/pets⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎{"name":"Rex","categoryId":…}',
  keyed: 'POST /v1/pets⟨host⟩⟨auth⟩⟨json⟩⏎Idempotency-Key: …⟨length⟩⏎⏎⟨rex⟩',
  chunks: 'POST /v1/pets⟨host⟩⟨auth⟩⟨json⟩⏎Transfer-Encoding: chunked⏎⏎…',
  order: 'POST /v1/store/orders⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎…',
  patch: 'PATCH /v1/store/orders/1⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎…',
  ships: 'PATCH /v1/store/orders/1⟨host⟩⟨auth⟩⟨json⟩⟨length⟩⏎⏎{"shipDate":"…"}',
};

const PARTS: Record<string, string> = {
  '⟨host⟩': ' HTTP/1.1⏎Host: x',
  '⟨auth⟩': '⏎Authorization: Bearer ⟨key⟩',
  '⟨json⟩': '⏎Content-Type: application/json',
  '⟨length⟩': '⏎Content-Length: {length}',
  '⟨rex⟩': '{"name":"Rex","categoryId":1}',
};

export function readCases(family: string, keys: Keys): Case[] {
  const text = readFileSync(join(import.meta.dirname, 'cases', `${family}.txt`), 'utf8');
  const rows = text.split('\n').filter((row) => row !== '' && !row.startsWith('#'));
  return rows.map((row) => readCase(row, keys));
}

function readCase(row: string, keys: Keys): Case {
  const [expected = '', kind = '', what, why] = row.split(' · ');
  const whole = KINDS[kind]?.replace('…', () => what ?? '');
  if (whole === undefined || why === undefined) throw new Error(`This row has another form: ${row}`);
  const full = whole.replace(/⟨(host|auth|json|length|rex)⟩/g, (part) => PARTS[part]!);
  const ended = full.endsWith('⟨end⟩');
  const answers = expected.split(' then ');
  const closes = ended ? 'client' : answers.at(-1) === 'end' ? 'server' : undefined;
  const request = withLength(toBytes(full.replace('⟨end⟩', ''), keys));
  return { expected: answers.filter((answer) => answer !== 'end'), request, closes, why };
}

function toBytes(text: string, keys: Keys): string {
  const utf8 = (part: string): string => Buffer.from(part.replaceAll('⏎', '\r\n')).toString('latin1');
  const parts = text.split(/⟨(.+?)⟩/s);
  return parts.map((part, i) => (i % 2 === 0 ? utf8(part) : special(part, keys, utf8))).join('');
}

function special(token: string, keys: Keys, utf8: (part: string) => string): string {
  const characters = (part: string): string =>
    part.replace(/U\+([\dA-F]{4,6})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
  const [, unit, times] = /^(.+)\*(\d+)$/s.exec(token) ?? [];
  if (unit !== undefined) return utf8(unit === '20' ? ' ' : characters(unit)).repeat(Number(times));
  if (token in keys) return keys[token as keyof Keys];
  if (/^[\da-f]{2}$/.test(token)) return String.fromCharCode(Number.parseInt(token, 16));
  if (token.startsWith('U+')) return utf8(characters(token));
  throw new Error(`⟨${token}⟩ means nothing.`);
}

function withLength(request: string): string {
  return request.replace('{length}', String(request.slice(request.indexOf('\r\n\r\n') + 4).length));
}
