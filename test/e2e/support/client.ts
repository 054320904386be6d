import { request as sendPlain } from 'node:http';
import { request as sendEncrypted } from 'node:https';
import { parse, stringify } from 'lossless-json';
import { rememberExchange } from './last-seen.js';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The parsed body. Integers beyond 2^53 are bigints, so that nothing is rounded. */
  readonly json: unknown;
}

export interface Options {
  /** `undefined` removes a default header. */
  headers?: Record<string, string | undefined>;
  /** Objects are sent as JSON, which may hold bigints; strings and Buffers unchanged. */
  body?: object | string | Buffer;
}

/** Sends one request on a connection of its own and collects the answer. */
export function call(origin: string, method: string, path: string, options: Options = {}): Promise<Answer> {
  const { headers = {}, body } = options;
  const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(asText(body));
  const { protocol, hostname, port } = new URL(origin);
  const begin = protocol === 'https:' ? sendEncrypted : sendPlain;
  return new Promise((resolve, reject) => {
    const request = { hostname, port, method, path, agent: false, headers: headersFor(bytes, headers) };
    const outgoing = begin(request, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const answer: Answer = {
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          get json() {
            return parse(text, undefined, exactNumber);
          },
        };
        rememberExchange(method, path, options, answer);
        resolve(answer);
      });
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function headersFor(bytes: Buffer | undefined, own: NonNullable<Options['headers']>): Record<string, string> {
  const all = {
    ...(bytes && { 'content-type': 'application/json' }),
    ...(bytes && !own['transfer-encoding'] && { 'content-length': String(bytes.length) }),
    ...own,
  };
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function asText(body: object | string): string {
  return typeof body === 'string' ? body : stringify(body)!;
}

function exactNumber(text: string): number | bigint {
  return String(Number(text)) === text ? Number(text) : BigInt(text);
}
