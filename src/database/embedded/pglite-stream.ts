import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FrontendMessages, type FrontendMessage } from './frontend-messages.js';
import type { SessionClient } from './pglite-session.js';

/** A start-up message begins with the protocol version, 3.0. A cancel request has another number there. */
const START_UP = 0x0003_0000;

/** Replaces the socket of pg's client: connects it to the embedded engine. */
export class PGliteStream extends Duplex {
  readonly #messages = new FrontendMessages();
  #awake = false;
  #isOpen = false;
  #serving: Promise<void> = Promise.resolve();
  #finish: (() => void) | undefined;

  constructor(private readonly client: SessionClient) {
    super();
  }

  // The methods of a socket that pg calls.

  connect(): this {
    process.nextTick(() => {
      if (!this.destroyed) this.emit('connect');
    });
    return this;
  }

  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;

  // The methods of a stream that Node.js calls.

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#messages.add(chunk);
    this.#wake();
    done();
  }

  override _read(): void {
    // Responses are pushed as they arrive.
  }

  override _final(done: () => void): void {
    this.#finish = () => {
      this.push(null);
      done();
    };
    this.#wake();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#leave();
    done(error);
  }

  /** After the last answer. An engine that failed has nothing to roll back. */
  #leave(): void {
    this.#serving.then(() => this.client.leave()).catch(() => {});
  }

  #wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.#serving = this.#serve().catch((error: Error) => void this.destroy(error));
  }

  async #serve(): Promise<void> {
    for (;;) {
      // The engine runs synchronously: without a turn of the event loop before each query, a busy client would block
      // everything else.
      await nextTurn();
      if (this.destroyed) return;
      const message = this.#messages.next();
      if (!message) break;
      if (this.#isOpen) await this.#answer(message);
      else await this.#open(message);
    }
    this.#awake = false;
    this.#finish?.();
  }

  async #open({ bytes }: FrontendMessage): Promise<void> {
    if (bytes.readInt32BE(4) !== START_UP) {
      this.destroy();
      return;
    }
    const answer = await this.client.start();
    if (this.destroyed) return;
    this.#isOpen = true;
    this.#messages.start();
    this.push(answer);
  }

  /** Answers all pending messages together: a query with parameters is five messages and one round trip. */
  async #answer(first: FrontendMessage): Promise<void> {
    const messages: Buffer[] = [];
    let lastType = '';
    for (let message: FrontendMessage | undefined = first; message; message = this.#messages.next()) {
      // Terminate would stop the engine, and pg closes the stream after it anyway.
      if (message.type === 'X') continue;
      messages.push(message.bytes);
      lastType = message.type;
    }
    if (messages.length === 0) return;
    const answer = await this.client.exchange(Buffer.concat(messages), 'QSF'.includes(lastType));
    if (!this.destroyed) this.push(answer);
  }
}
