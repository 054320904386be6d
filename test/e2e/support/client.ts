import { request as sendPlain } from 'node:http';
import { request as sendEncrypted } from 'node:https';
import { parse } from 'lossless-json';
import { rememberExchange } from './last-exchange.js';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The body as JSON. An integer too large for a number is a bigint: nothing is rounded. */
  readonly json: unknown;
}

export interface Options {
  /** `undefined` leaves out a header that would be sent otherwise. */
  headers?: Record<string, string | undefined>;
  /** An object is sent as JSON; text and bytes are sent as they are. */
  body?: object | string | Buffer;
}

/** Sends one request on a connection of its own and collects the answer. */
export function call(origin: string, method: string, path: string, options: Options = {}): Promise<Answer> {
  const { headers = {}, body } = options;
  const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(asText(body));
  const { protocol, hostname, port } = new URL(origin);
  const send = protocol === 'https:' ? sendEncrypted : sendPlain;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        headers: given({
          ...(bytes && { 'content-type': 'application/json' }),
          ...(bytes && !headers['transfer-encoding'] && { 'content-length': String(bytes.length) }),
          ...headers,
        }),
      },
      (incoming) => {
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
          rememberExchange({ origin, method, path, options, answer });
          resolve(answer);
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

function given(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  );
}

function asText(body: object | string): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function exactNumber(text: string): number | bigint {
  return String(Number(text)) === text ? Number(text) : BigInt(text);
}
