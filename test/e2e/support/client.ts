import { request as sendPlain } from 'node:http';
import { Agent, request as sendEncrypted } from 'node:https';
import { parse, stringify } from 'lossless-json';
import { rememberExchange } from './last-exchange.js';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The parsed body. Integers beyond 2^53 are bigints, so nothing is rounded. */
  readonly json: unknown;
}

export interface Options {
  /** `undefined` removes a default header. */
  headers?: Record<string, string | undefined>;
  /** Objects are sent as JSON, which may hold bigints; strings and Buffers unchanged. */
  body?: object | string | Buffer;
  /** A refusal is what the test wants, even if the machine stood still. */
  once?: boolean;
}

/** A proxy may limit new encrypted connections, whose handshakes cost it much. It closes idle ones later than this. */
const ENCRYPTED = new Agent({ keepAlive: true, maxSockets: 16, timeout: 5_000 });

/** Of environment.mjs. */
export const { machine } = globalThis as unknown as {
  machine: {
    despiteStandstill(
      attempt: () => Promise<Answer>,
      isRefused: (answer: Answer) => boolean,
    ): Promise<Answer>;
    isDisturbed(from: number): boolean;
  };
};

/**
 * Sends one request, on a new connection unless it is encrypted, and collects the answer. No service can answer in time
 * while the machine stands still: what it refused then is sent again.
 */
export function call(origin: string, method: string, path: string, options: Options = {}): Promise<Answer> {
  return machine.despiteStandstill(
    () => send(origin, method, path, options),
    (answer) => answer.status === 503 && !isUnknown(answer) && !options.once,
  );
}

/** In what the service says of a request that may have taken effect. */
export const UNKNOWN = 'the outcome is unknown';

/** Whether the request may have taken effect, although it was answered with an error. */
export function isUnknown({ status, text }: Answer): boolean {
  return status === 503 && text.includes(UNKNOWN);
}

function send(origin: string, method: string, path: string, options: Options): Promise<Answer> {
  const { headers = {}, body } = options;
  const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(asText(body));
  const { protocol, hostname, port } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const begin = isEncrypted ? sendEncrypted : sendPlain;
  return new Promise((resolve, reject) => {
    const outgoing = begin(
      {
        hostname,
        port,
        method,
        path,
        agent: isEncrypted && ENCRYPTED,
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
  return typeof body === 'string' ? body : stringify(body)!;
}

function exactNumber(text: string): number | bigint {
  return String(Number(text)) === text ? Number(text) : BigInt(text);
}
