import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Exchange {
  readonly answers: RawAnswer[];
  /** Everything received, and the part that is not a complete answer. */
  readonly received: string;
  readonly rest: string;
  /** Whether the connection stayed open after the expected answers, so that the probe was sent. */
  readonly probed: boolean;
}

interface Plan {
  request: string;
  /** The number of expected answers. The probe follows the last one, unless that closes the connection. */
  answers: number;
  probe: string;
  cutOff: boolean;
  ends: boolean;
}

const PATIENCE_MS = 6_000;

/**
 * Sends bytes on a new connection and collects every answer until the server closes it. The probe asks the server to
 * close the connection, so extra answers show up without waiting for a time-out.
 */
export function exchange(
  origin: string,
  { request, answers: wanted, probe, cutOff, ends }: Plan,
): Promise<Exchange> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    let probed = false;
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(
      () =>
        socket.destroy(new Error(`The server did not close the connection. Received so far:\n${received}`)),
      PATIENCE_MS,
    );
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const { answers } = parseAnswers(received, request);
      if (probed || cutOff || ends || answers.length < wanted || endsConnection(answers.at(-1))) return;
      probed = true;
      socket.write(probe, 'latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while we are still sending; the answers received by then count.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ ...parseAnswers(received, request), received, probed });
    });
    socket.write(request, 'latin1');
    if (cutOff) socket.end();
  });
}

function endsConnection(answer: RawAnswer | undefined): boolean {
  return answer?.headers['connection'] === 'close';
}

/** Skips the body of 204 and of an answer to HEAD, whatever its Content-Length. Only the first request can be HEAD. */
function parseAnswers(received: string, request: string): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0 || !rest.startsWith('HTTP/1.1 ')) return { answers, rest };
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = parseHeaders(lines);
    const status = Number(first.split(' ')[1]);
    const bodiless = status === 204 || (answers.length === 0 && request.startsWith('HEAD '));
    const length = bodiless ? 0 : Number(headers['content-length']);
    const body = rest.slice(end + 4, end + 4 + length);
    if (!(body.length === length)) return { answers, rest };
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString() });
    rest = rest.slice(end + 4 + length);
  }
}

function parseHeaders(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}
