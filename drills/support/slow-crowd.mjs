import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from './statistics.mjs';

export const CUT_WITHIN_S = 15;
const DRIP_MS = 1_000;
const SIP_MS = 100;
const MIB = 1_048_576;
const COMPLETE = 'with an Error body';
/** Connections at a time: of more, the kernel would refuse some, not the service. */
const GROUP = 50;

/**
 * Clients that send `first`, then `drip` once a second, until they are cut off. They read everything, nothing
 * (`reads: false`), or `bytesPerSecond`. They have the address `from`, if it is given. Those that are cut off come back
 * within `backWithinMs`, spread over that time: together, they would come back together for ever.
 */
export class SlowCrowd {
  /** Whether a client that is cut off reconnects. */
  replace;
  /** The connection times of the open clients. */
  open = new Map();
  /** The seconds after which each client was cut off. */
  ages = [];
  /** The number of responses by status. */
  answers = new Map();
  /** What they have read, if that is limited. */
  bytes = 0;

  /** `stays`: the server must not cut them off. `leaves`: the server may read on after its answer. */
  constructor(name, { origin, size, again = true, answer, stays = false, ...client }) {
    this.name = name;
    this.replace = again;
    this.size = size;
    this.expected = answer;
    this.stays = stays;
    this.#client = { address: new URL(origin), reads: true, backWithinMs: 1_000, ...client };
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

  summary() {
    const { name, ages, expected, stays, bytes } = this;
    return { name, ages, expected, stays, bytes, open: this.open.size, answers: [...this.answers] };
  }

  #connect() {
    const { address, from, first, drip, reads, bytesPerSecond, backWithinMs, leaves } = this.#client;
    const sip =
      bytesPerSecond &&
      sipping(
        (bytesPerSecond * SIP_MS) / 1_000,
        () => socket,
        (bytes) => (this.bytes += bytes),
      );
    const { hostname: host, port } = address;
    const socket = connect({ host, port: Number(port), localAddress: from, onread: sip });
    let text = '';
    let timer;
    socket.on('connect', () => {
      this.open.set(socket, performance.now());
      socket.write(first);
      timer = setInterval(() => socket.write(drip), DRIP_MS);
    });
    if (reads && !sip)
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (leaves && kindOfAnswer(text).endsWith(COMPLETE)) socket.destroy();
      });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      const since = this.open.get(socket);
      if (!this.open.delete(socket)) return;
      this.ages.push((performance.now() - since) / 1_000);
      if (this.expected) this.#count(kindOfAnswer(text));
      if (this.replace) setTimeout(() => this.replace && this.#connect(), Math.random() * backWithinMs);
    });
    return socket;
  }

  #count(answer) {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }
}

/** Reads a few bytes at a time, with a pause after each read. */
const sipping = (bytes, socket, count) => ({
  buffer: Buffer.alloc(bytes),
  callback(taken) {
    count(taken);
    setTimeout(() => socket().resume(), SIP_MS);
    return false;
  },
});

export function judgeCrowd(drill, { name, ages, open, answers, expected, stays, bytes }) {
  const longest = ages.length > 0 ? percentile(ages, 1) : Infinity;
  const times =
    ages.length > 0
      ? `, after ${percentile(ages, 0.5).toFixed(1)} s (median), ${longest.toFixed(1)} s at most`
      : '';
  const read = bytes > 0 ? `; ${(bytes / MIB).toFixed(1)} MiB read` : '';
  drill.figure(name, `${ages.length} gone${times}; ${open} still open${read}`);
  if (stays) {
    drill.expect(`${name}: they did read`, bytes >= MIB);
    return;
  }
  drill.expect(`${name}: each is gone within ${CUT_WITHIN_S} s`, open === 0 && longest <= CUT_WITHIN_S);
  if (!expected) return;
  const wrong = answers.filter(([answer]) => answer !== `${expected} ${COMPLETE}`);
  drill.expect(
    `${name}: each is told ${expected} ${COMPLETE} ${wrong.map(([answer, n]) => `(not: ${n} × ${answer})`).join(' ')}`,
    answers.length > 0 && wrong.length === 0,
  );
}

/** The status of the first response. A client that goes on may get more before it is cut off. */
function kindOfAnswer(text) {
  const [, status = 'nothing'] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const [, body = ''] = /\r\n\r\n(\{[^{}]*\})/.exec(text) ?? [];
  return isError(body, status) ? `${status} ${COMPLETE}` : `${status} without an Error body`;
}

function isError(body, status) {
  try {
    const error = JSON.parse(body);
    return Object.keys(error).length === 3 && error.status === Number(status) && error.code && error.message;
  } catch {
    return false;
  }
}
