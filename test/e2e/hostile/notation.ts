/**
 * The notation of the corpus. Each line holds the expected answer, the request, and the reason.
 *
 *   ['400 invalid_parameter', get('/v1/pets?limit=0'), 'below the minimum']
 *   ['200 then 401 missing_api_key', bytes('GET …'), 'two requests in one packet get two answers']
 *
 * One character is one byte, except in JSON bodies, which are sent as UTF-8, exactly as written here: a backslash is a
 * backslash. The runner fills in `{key}`, `{expired}`, `{revoked}`, `{other}` (a key for the other kind of deployment),
 * `{unknown}` and `{length}`, the length of the body in bytes.
 */
export type Line = [expected: string, request: Wire, why: string, more?: More];

export interface More {
  /** The exact number in the answer to a create. */
  categoryId?: string;
  /** The client half-closes the connection after sending. */
  cutOff?: boolean;
  /** The server closes the connection because of an error that follows the answered request. */
  ends?: boolean;
}

/** Raw bytes, one character each. */
export type Wire = string & { readonly wire: true };

export const HOST = 'Host: x';
export const KEY = 'Authorization: Bearer {key}';
export const JSON_BODY = 'Content-Type: application/json';
export const LENGTH = 'Content-Length: {length}';
export const CHUNKED = 'Transfer-Encoding: chunked';
export const REX = '{"name":"Rex","categoryId":1}';

/** GET with a Host and a key. */
export const get = (target: string, ...headers: string[]): Wire => ask('GET', target, KEY, ...headers);

/** Any method, with a Host but no key. */
export const ask = (method: string, target: string, ...headers: string[]): Wire =>
  message(`${method} ${target} HTTP/1.1`, HOST, ...headers);

/** POST /v1/pets with a key and a JSON body, sent exactly as written; Buffers are inserted unchanged. */
export const post = (text: TemplateStringsArray, ...values: (string | Buffer)[]): Wire =>
  postWith([JSON_BODY], String.raw({ raw: text.raw.map(utf8) }, ...values.map(utf8)));

/** POST /v1/pets with a key, these headers and this body. */
export const postWith = (headers: string[], body: string): Wire =>
  bytes(`${message('POST /v1/pets HTTP/1.1', HOST, KEY, ...headers, LENGTH)}${body}`);

/** Any method with a key, these headers and this text. */
export const withBody = (method: string, target: string, headers: string[], text: string): Wire =>
  bytes(`${ask(method, target, KEY, ...headers, LENGTH)}${utf8(text)}`);

/** POST /v1/pets with a key and a body in these chunks, framing included. */
export const postChunks = (chunks: string, ...headers: string[]): Wire =>
  bytes(`${message('POST /v1/pets HTTP/1.1', HOST, KEY, JSON_BODY, CHUNKED, ...headers)}${chunks}`);

/** The head of a message: lines ended by CR LF, then an empty line. */
export const message = (...lines: string[]): Wire => bytes(`${lines.join('\r\n')}\r\n\r\n`);

/** Marks a string as raw bytes. */
export const bytes = (text: string): Wire => {
  // oxlint-disable-next-line no-control-regex -- any byte is allowed
  if (!/^[\0-\xff]*$/.test(text))
    throw new Error(`Each character must be one byte. Wrap the text in utf8(): ${text}`);
  return text as Wire;
};

/** Encodes text as UTF-8 bytes, one character each. */
export const utf8 = (text: string | Buffer): string => Buffer.from(text as string).toString('latin1');

/** A create with this name. */
export const named = (name: string | Buffer): Wire => post`{"name":"${name}","categoryId":1}`;

/** A create with this category id, written as given. */
export const numbered = (categoryId: string): Wire => post`{"name":"Rex","categoryId":${categoryId}}`;
