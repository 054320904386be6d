/**
 * The notation of the corpus: each line says what must come back, what is sent, and why that is right.
 *
 *   ['400 invalid_parameter', get('/v1/pets?limit=0'), 'below the minimum']
 *   ['200 then 401 missing_api_key', bytes('GET …'), 'two requests in one packet get two answers']
 *
 * One character is one byte, except in JSON bodies, which are sent as UTF-8, exactly as they are written here: a
 * backslash is a backslash. The runner puts in `{key}`, `{expired}`, `{revoked}`, `{other}` (a key of the other kind of
 * deployment), `{unknown}`, and `{length}`, the length of the body in bytes.
 */
export type Line = [expected: string, request: Wire, why: string, more?: More];

export interface More {
  /** The number that a created animal must come back with, digit by digit. */
  categoryId?: string;
  /** The client sends no more, as at the end of a connection that broke off. */
  cutOff?: boolean;
  /** What the client did wrong after it was answered ends the connection. */
  ends?: boolean;
}

/** What goes over the wire: one character for each byte. */
export type Wire = string & { readonly wire: true };

export const HOST = 'Host: x';
export const KEY = 'Authorization: Bearer {key}';
export const JSON_BODY = 'Content-Type: application/json';
export const LENGTH = 'Content-Length: {length}';
export const CHUNKED = 'Transfer-Encoding: chunked';
export const REX = '{"name":"Rex","categoryId":1}';

/** GET with a Host and a key. */
export const get = (target: string, ...headers: string[]): Wire => ask('GET', target, KEY, ...headers);

/** Any method, with a Host and nothing else. */
export const ask = (method: string, target: string, ...headers: string[]): Wire =>
  message(`${method} ${target} HTTP/1.1`, HOST, ...headers);

/** POST /v1/pets with a key and a JSON body: what is written is what is sent. Buffers are put in as they are. */
export const post = (text: TemplateStringsArray, ...values: (string | Buffer)[]): Wire =>
  postWith([JSON_BODY], String.raw({ raw: text.raw.map(utf8) }, ...values.map(utf8)));

/** POST /v1/pets with a key, these headers and this body. */
export const postWith = (headers: string[], body: string): Wire =>
  bytes(`${message('POST /v1/pets HTTP/1.1', HOST, KEY, ...headers, LENGTH)}${body}`);

/** POST /v1/pets with a key and a chunked body, whose chunks are written out. */
export const postChunks = (chunks: string, ...headers: string[]): Wire =>
  bytes(`${message('POST /v1/pets HTTP/1.1', HOST, KEY, JSON_BODY, CHUNKED, ...headers)}${chunks}`);

/** Lines, each ended by CR LF, and the empty line that ends a head. */
export const message = (...lines: string[]): Wire => bytes(`${lines.join('\r\n')}\r\n\r\n`);

/** Exactly these bytes. */
export const bytes = (text: string): Wire => {
  // oxlint-disable-next-line no-control-regex -- the point is to send any byte
  if (!/^[\0-\xff]*$/.test(text)) throw new Error(`One character is one byte; use utf8() in: ${text}`);
  return text as Wire;
};

/** Text as UTF-8, for places that take bytes. */
export const utf8 = (text: string | Buffer): string => Buffer.from(text as string).toString('latin1');

/** JSON with a name, as `post` sends it. */
export const named = (name: string | Buffer): Wire => post`{"name":"${name}","categoryId":1}`;

/** JSON with a number, written as it is. */
export const numbered = (categoryId: string): Wire => post`{"name":"Rex","categoryId":${categoryId}}`;
