/** A complete message of a PostgreSQL client. */
export interface FrontendMessage {
  /** The type byte as a character; empty for the first message of a connection, which has none. */
  readonly type: string;
  /** The whole message, type byte and length included. */
  readonly bytes: Buffer;
}

/** The types allowed after the start-up message. Any other one crashes the engine. */
const KNOWN_TYPES = new Set('BCDEFHPQSXcdf');

/** The connection cannot continue. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Splits the byte stream of a client into messages. */
export class FrontendMessages {
  #chunks: Buffer[] = [];
  #size = 0;
  /** The size of the message that is arriving. Its chunks are joined once. */
  #needed = 0;
  #started = false;

  constructor(private readonly largest: number) {}

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The bytes of messages that `next` has not returned. */
  get size(): number {
    return this.#size;
  }

  /** Every message after the start-up message has a type byte. */
  start(): void {
    this.#started = true;
  }

  /** Returns the next complete message. */
  next(): FrontendMessage | undefined {
    const typeLength = this.#started ? 1 : 0;
    if (this.#size < Math.max(this.#needed, typeLength + 4)) return undefined;

    const pending = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    const type = pending.toString('latin1', 0, typeLength);
    const length = pending.readInt32BE(typeLength);
    if (length < 4 || (this.#started && !KNOWN_TYPES.has(type))) {
      throw new ProtocolViolation(`Not a message of a PostgreSQL client: type '${type}', length ${length}`);
    }
    if (length > this.largest) {
      throw new ProtocolViolation(
        `The embedded database takes messages of at most ${this.largest} bytes, not ${length}: send fewer values at once`,
      );
    }
    const end = typeLength + length;
    if (pending.length < end) {
      this.#chunks = [pending];
      this.#needed = end;
      return undefined;
    }
    const rest = pending.subarray(end);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#needed = 0;
    return { type, bytes: pending.subarray(0, end) };
  }
}
