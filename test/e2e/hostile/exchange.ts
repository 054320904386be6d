import { connect } from 'node:net';
import { parseRaw, type RawAnswer } from '../support/socket.js';
import type { Case } from './cases.js';

const PATIENCE_MS = 6_000;

/**
 * Sends a request on a connection of its own and collects the answers until the server closes it. If the connection stays
 * open after as many answers as expected, a probe follows, which asks for its end: so nothing that comes in excess is missed.
 */
export function exchange(
  origin: string,
  { request, expected, closes }: Case,
  probe: string,
): Promise<{ answers: RawAnswer[]; rest: string; probed: boolean }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let received = '';
    let probed = false;
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    const late = () => socket.destroy(new Error(`The server left the connection open after:\n${received}`));
    const patience = setTimeout(late, PATIENCE_MS);
    socket.on('data', (chunk: string) => {
      received += chunk;
      const { answers } = parse(received, request);
      const isOver = answers.at(-1)?.headers['connection'] === 'close';
      if (probed || closes || answers.length < expected.length || isOver) return;
      probed = true;
      socket.write(probe, 'latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while the request is still sent: what it has answered counts.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(patience);
      resolve({ ...parse(received, request), probed });
    });
    socket.write(request, 'latin1');
    if (closes === 'client') socket.end();
  });
}

/** Complete answers, and what follows them. 204 has no body, nor has the answer to HEAD, which only comes first. */
function parse(received: string, request: string): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    if (!rest.includes('\r\n\r\n') || !rest.startsWith('HTTP/1.1 ')) return { answers, rest };
    const { status, headers, body: following } = parseRaw(rest);
    const isBare = status === 204 || (answers.length === 0 && request.startsWith('HEAD '));
    const length = isBare ? 0 : Number(headers['content-length']);
    const body = following.slice(0, length);
    if (body.length !== length) return { answers, rest };
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString() });
    rest = following.slice(length);
  }
}
