import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Sends raw text and returns everything that comes until the connection closes. */
export function sendRaw(origin: string, text: string | Buffer, localAddress = '127.0.0.1'): Promise<string> {
  const { hostname: host, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), localAddress });
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while the request is still sent: what it has answered counts.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.write(text);
  });
}

/** Splits a raw answer into status, headers and body. */
export function parseRaw(raw: string): RawAnswer {
  const end = raw.indexOf('\r\n\r\n');
  const [first = '', ...lines] = raw.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: raw.slice(end + 4),
  };
}
