/** A complete message of a PostgreSQL client. */
export interface FrontendMessage {
  /** The type byte as a character; empty for the first message of a connection, which has none. */
  readonly type: string;
  /** The whole message, type byte and length included. */
  readonly bytes: Buffer;
}

/** The types allowed after the start-up message. Any other one crashes the engine. */
const KNOWN_TYPES = new Set('BCDEFHPQSXcdf');

/** Splits the byte stream of a client into messages. */
export class FrontendMessages {
  #pending: Buffer = Buffer.alloc(0);
  #started = false;

  add(chunk: Buffer): void {
    this.#pending = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
  }

  /** Every message after the start-up message has a type byte. */
  start(): void {
    this.#started = true;
  }

  /** Returns the next complete message. */
  next(): FrontendMessage | undefined {
    const typeLength = this.#started ? 1 : 0;
    if (this.#pending.length < typeLength + 4) return undefined;

    const type = this.#pending.toString('latin1', 0, typeLength);
    const length = this.#pending.readInt32BE(typeLength);
    if (length < 4 || (this.#started && !KNOWN_TYPES.has(type))) {
      throw new Error(`Not a message of a PostgreSQL client: type '${type}', length ${length}`);
    }
    const end = typeLength + length;
    if (this.#pending.length < end) return undefined;

    const bytes = this.#pending.subarray(0, end);
    this.#pending = this.#pending.subarray(end);
    return { type, bytes };
  }
}
