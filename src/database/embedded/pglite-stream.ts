import { protocol } from '@electric-sql/pglite';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FrontendMessages, type FrontendMessage, ProtocolViolation } from './frontend-messages.js';
import type { SessionClient } from './pglite-session.js';

/** A start-up message begins with the protocol version, 3.0. A cancel request has another number there. */
const START_UP = 0x0003_0000;

/** The engine answers these with ReadyForQuery. */
const ENDS_EXCHANGE = 'QSF';

/** After these, the engine may ask for the rows of COPY FROM STDIN, and it ends if there are none. Otherwise it ignores COPY_FAIL. */
const MAY_COPY = 'QE';
const COPY_FAIL = Buffer.from(protocol.serialize.copyFail('the embedded database cannot do it'));

/** In a message, and waiting in each direction. Command lines send less. */
const MOST_BYTES_OF_GUESTS = 1024 * 1024;

/** Terminate would stop the engine, and pg closes the stream after it anyway. The rest belongs to a COPY that has failed. */
const IGNORED = 'Xcdf';

/** Replaces the socket of pg's client: connects it to the embedded engine. */
export class PGliteStream extends Duplex {
  readonly #mostBytes: number;
  readonly #messages: FrontendMessages;
  #awake = false;
  #isOpen = false;
  #serving: Promise<void> = Promise.resolve();
  #finish: (() => void) | undefined;
  #resume: (() => void) | undefined;

  constructor(private readonly client: SessionClient) {
    super();
    this.#mostBytes = client.isGuest ? MOST_BYTES_OF_GUESTS : Infinity;
    this.#messages = new FrontendMessages(this.#mostBytes);
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
    if (this.#messages.size > this.#mostBytes) this.#resume = done;
    else done();
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
    this.#serving = this.#serve().catch((error: Error) => {
      if (error instanceof ProtocolViolation) this.#endWith(error);
      else this.destroy(error);
    });
  }

  #endWith({ message }: ProtocolViolation): void {
    this.once('end', () => this.destroy());
    this.push(fatalError(message));
    this.push(null);
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
    this.#resume?.();
    this.#resume = undefined;
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

  /** Answers pending messages together: a query with parameters is five messages and one round trip. Guests get one query answered at a time. */
  async #answer(first: FrontendMessage): Promise<void> {
    if (this.readableLength > this.#mostBytes)
      throw new ProtocolViolation('Earlier answers have not been read');
    const messages: Buffer[] = [];
    let lastType = '';
    for (let message: FrontendMessage | undefined = first; message; message = this.#messages.next()) {
      if (IGNORED.includes(message.type)) continue;
      messages.push(message.bytes);
      if (MAY_COPY.includes(message.type)) messages.push(COPY_FAIL);
      lastType = message.type;
      if (this.client.isGuest && ENDS_EXCHANGE.includes(lastType)) break;
    }
    if (messages.length === 0) return;
    const answer = await this.client.exchange(Buffer.concat(messages), ENDS_EXCHANGE.includes(lastType));
    if (!this.destroyed) this.push(answer);
  }
}

/** An ErrorResponse: severity, SQLSTATE protocol_violation, message. */
function fatalError(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
