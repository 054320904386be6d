import { connect } from 'node:net';
import { isDisturbed, standstill } from '../../scripts/support/standstill.mjs';

const HEAD_END = '\r\n\r\n';

/** The bytes of one request. */
export function requestText(method, path, { key, body, type = 'application/json', headers = {} } = {}) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  if (key) lines.push(`Authorization: Bearer ${key}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}${HEAD_END}${body ?? ''}`;
}

/**
 * A cheap client, which does not distort measurements. It keeps its connections, sends one request at a time on each,
 * and opens new ones up to a limit; further requests wait. `ask` never rejects: without a response, the status is 0 and
 * `why` has the reason. `ms` leaves out the time in which the machine stood still, and a refusal that `isDisturbed` may be
 * due to that.
 */
export class RawClient {
  #address;
  #limits;
  #idle = [];
  #waiting = [];
  #lines = new Set();

  constructor(origin, { connections = 1_000, timeoutMs = 10_000 } = {}) {
    const { hostname, port } = new URL(origin);
    this.#address = { host: hostname, port: Number(port), noDelay: true };
    this.#limits = { connections, timeoutMs };
  }

  get connections() {
    return this.#lines.size;
  }

  /** `since` is the time at which the request was due, so that its time in the queue counts. */
  ask(text, since = performance.now()) {
    return new Promise((resolve) => {
      this.#waiting.push({ text, since, resolve });
      this.#serve();
    });
  }

  close() {
    this.#waiting = [];
    for (const line of this.#lines) line.socket.destroy();
  }

  #serve() {
    while (this.#waiting.length > 0) {
      const line = this.#idle.pop() ?? this.#open();
      if (!line) return;
      line.send(this.#waiting.shift());
    }
  }

  #open() {
    if (this.#lines.size >= this.#limits.connections) return null;
    const line = new Line(connect(this.#address), this.#limits.timeoutMs);
    this.#lines.add(line);
    line.onFree = () => {
      this.#idle.push(line);
      this.#serve();
    };
    line.onClose = () => {
      this.#lines.delete(line);
      this.#idle = this.#idle.filter((other) => other !== line);
      this.#serve();
    };
    return line;
  }
}

/** One connection, with one request at a time. */
class Line {
  #received = null;
  #exchange = null;
  #timer;
  #timeoutMs;

  constructor(socket, timeoutMs) {
    this.socket = socket;
    this.#timeoutMs = timeoutMs;
    let failure = 'closed without an answer';
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => (failure = error.code ?? error.message));
    socket.on('close', () => {
      this.#settle({ status: 0, why: failure });
      this.onClose();
    });
  }

  send(exchange) {
    this.#exchange = exchange;
    this.#timer = setTimeout(() => {
      this.#settle({ status: 0, why: `no answer within ${this.#timeoutMs} ms` });
      this.socket.destroy();
    }, this.#timeoutMs);
    this.socket.write(exchange.text);
  }

  #receive(chunk) {
    const bytes = (this.#received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = bytes.latin1Slice(0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length < bodyEnd) return;
    this.#received = null;
    this.#settle({ status: Number(head.slice(9, 12)), head, body: bytes.utf8Slice(bodyStart, bodyEnd) });
    if (/\r\nconnection: *close/i.test(head)) this.socket.destroy();
    else this.onFree();
  }

  #settle(outcome) {
    if (!this.#exchange) return;
    clearTimeout(this.#timer);
    const { since, resolve } = this.#exchange;
    this.#exchange = null;
    const at = performance.now();
    const ms = at - since - standstill(since, at);
    resolve({ ...outcome, since, at, ms, isDisturbed: isDisturbed(since, at) });
  }
}
