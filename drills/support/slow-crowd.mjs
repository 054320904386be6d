import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const DRIP_MS = 1_000;
/** How many come at once: more would be turned away by the kernel, not by the service. */
const GROUP = 50;

/** Clients that send `first`, then `drip` once a second, until they are cut off; and perhaps never read. */
export class SlowCrowd {
  /** Whether another one comes for each that is cut off. */
  replace;
  /** When each one that is open connected. */
  open = new Map();
  /** After how many seconds each was cut off. */
  ages = [];
  /** How often they were told what. */
  answers = new Map();

  constructor(name, { origin, size, first, drip, reads = true, again = true, answer }) {
    this.name = name;
    this.replace = again;
    this.size = size;
    this.expected = answer;
    this.#client = { address: new URL(origin), first, drip, reads };
  }

  #client;

  async come() {
    for (let i = 0; i < this.size; i += GROUP) {
      await Promise.allSettled(
        Array.from({ length: Math.min(GROUP, this.size - i) }, () => once(this.#connect(), 'connect')),
      );
      await delay(20);
    }
  }

  leave() {
    this.replace = false;
    for (const socket of this.open.keys()) socket.destroy();
  }

  #connect() {
    const { address, first, drip, reads } = this.#client;
    const socket = connect({ host: address.hostname, port: Number(address.port) });
    let text = '';
    let timer;
    socket.on('connect', () => {
      this.open.set(socket, performance.now());
      socket.write(first);
      timer = setInterval(() => socket.write(drip), DRIP_MS);
    });
    if (reads) socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      const since = this.open.get(socket);
      if (!this.open.delete(socket)) return;
      this.ages.push((performance.now() - since) / 1_000);
      if (this.expected) this.#count(kindOfAnswer(text));
      // Spread over a second: else all that were cut off together would come back together, for ever.
      if (this.replace) setTimeout(() => this.replace && this.#connect(), Math.random() * 1_000);
    });
    return socket;
  }

  #count(answer) {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }
}

/** The first answer only: who has got one and goes on may be told more before being cut off. */
function kindOfAnswer(text) {
  const [, status = 'nothing'] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const [, body = ''] = /\r\n\r\n(\{[^{}]*\})/.exec(text) ?? [];
  return isError(body, status) ? `${status} with an Error body` : `${status} without an Error body`;
}

function isError(body, status) {
  try {
    const error = JSON.parse(body);
    return Object.keys(error).length === 3 && error.status === Number(status) && error.code && error.message;
  } catch {
    return false;
  }
}
