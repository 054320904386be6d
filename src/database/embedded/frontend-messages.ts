/** One whole message of a PostgreSQL client, with the type byte and the length it came with. */
export interface FrontendMessage {
  /** The type byte as a character; empty for the first message of a connection, which has none. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Everything a client may say after the start-up message; the engine does not survive any other type. */
const KNOWN_TYPES = new Set('BCDEFHPQSXcdf');

/** Cuts what a client writes into whole messages. */
export class FrontendMessages {
  #pending: Buffer = Buffer.alloc(0);
  #started = false;

  add(chunk: Buffer): void {
    this.#pending = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
  }

  /** From the start-up message on, every message has a type byte. */
  start(): void {
    this.#started = true;
  }

  /** The next message, once all of it has arrived. */
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
