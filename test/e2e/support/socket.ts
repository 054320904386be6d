import { connect, isIP, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as encrypt } from 'node:tls';

/** Connects to the service, or to a proxy that speaks TLS. */
function open(origin: string, localAddress = ''): Socket {
  const { protocol, hostname: host, port } = new URL(origin);
  const socket = connect({
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    host,
    ...(localAddress && { localAddress }),
  });
  return protocol === 'https:' ? encrypt({ socket, host, ...(!isIP(host) && { servername: host }) }) : socket;
}

/** Sends raw text, if need be from another loopback address, and returns everything received until the connection closes. */
export function sendRaw(origin: string, text: string, localAddress = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open(origin, localAddress);
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('close', () => resolve(received));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close while we are still sending; the answer received by then counts.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.write(text);
  });
}

/** As `sendRaw`, but closes the client's side once the request has arrived, and reads on. */
export async function sendAndClose(
  origin: string,
  request: string,
  arrived: () => Promise<void>,
): Promise<string> {
  const socket = open(origin);
  socket.write(request);
  await arrived();
  socket.end();
  return text(socket);
}

/** Opens connections from several loopback addresses. Some may be refused, with a reset. */
export async function openMany(origin: string, addresses: number, each: number, network = '127.0.1') {
  const { hostname: host, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let received = '';
  const open = (localAddress: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ host, port: Number(port), localAddress }, resolve);
      sockets.add(socket);
      socket.on('data', (data) => (received += data.toString()));
      socket.on('error', () => resolve());
      socket.on('close', () => sockets.delete(socket));
    });
  const local = Array.from({ length: addresses }, (_, i) => `${network}.${i + 1}`);
  for (let i = 0; i < each; i++) await Promise.all(local.map(open));
  return {
    /** Those that are open. */
    sockets: sockets as ReadonlySet<Socket>,
    received: () => received,
    /** Resolves when no more than these are open. */
    async untilOpen(most: number): Promise<void> {
      while (sockets.size > most) await delay(5);
    },
    /** Resolves when as many answers have come. */
    async untilAnswered(answers: number): Promise<void> {
      while (received.split('HTTP/1.1 ').length <= answers) await delay(5);
    },
    leave(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Splits a raw answer into status, headers and body. */
export function parseRaw(raw: string): { status: number; headers: Record<string, string>; body: string } {
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
