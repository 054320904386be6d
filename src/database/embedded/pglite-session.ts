import { protocol, type PGlite } from '@electric-sql/pglite';

const { serialize } = protocol;

/** The only session of a PGlite engine. Clients take turns, and each gets a clean session. */
export class PGliteSession {
  #lastTurn: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  constructor(private readonly engine: PGlite) {}

  /** Waits until all earlier clients have left. Resolves to the function that leaves. */
  async enter(): Promise<() => void> {
    const earlier = this.#lastTurn;
    let leave!: () => void;
    this.#lastTurn = new Promise((resolve) => {
      leave = resolve;
    });
    await earlier;
    return leave;
  }

  /** Resets the session and returns the response to a start-up message. */
  async start(): Promise<Buffer> {
    // After an error the engine ignores everything up to a Sync, which a disconnected client may not have sent.
    await this.exchange(Buffer.from(serialize.sync()), true);
    await this.exchange(Buffer.from(serialize.query('ROLLBACK')), true);
    await this.exchange(Buffer.from(serialize.query('DISCARD ALL')), true);
    // Not the client's own start-up message: its settings may include a statement_timeout, which never fires here, or
    // an idle_in_transaction_session_timeout, which would terminate the only session.
    return this.exchange(Buffer.from(serialize.startup({ user: 'postgres', database: 'postgres' })), true);
  }

  /**
   * Sends complete messages to the engine and returns its response.
   *
   * @param isComplete whether the engine must answer with ReadyForQuery
   */
  async exchange(messages: Buffer, isComplete: boolean): Promise<Buffer> {
    this.#check();
    try {
      const answer = await this.#run(messages);
      if (isComplete && !endsReadyForQuery(answer)) throw new Error('The response lacks ReadyForQuery');
      return answer;
    } catch (cause) {
      this.#check();
      // An engine that has left its main loop never answers again, or hangs at the next message.
      this.#failure = unavailable(
        'The embedded database has failed; restart the process to recover it',
        cause,
      );
      throw this.#failure;
    }
  }

  #check(): void {
    if (this.#failure) throw this.#failure;
    if (!this.engine.ready) throw unavailable('The embedded database is closed');
  }

  async #run(messages: Buffer): Promise<Buffer> {
    const answer: Buffer[] = [];
    // Copied, because the bytes are a view of the engine's memory; collected, because the client's code and its
    // exceptions must not run inside the engine.
    const onRawData = (bytes: Uint8Array) => void answer.push(Buffer.from(bytes));
    await this.engine.runExclusive(() => {
      this.#check(); // It may have been closed while this waited.
      return this.engine.execProtocolRawStream(messages, { onRawData });
    });
    return Buffer.concat(answer);
  }
}

/** ReadyForQuery is `Z`, the length 5, and the transaction status. */
function endsReadyForQuery(answer: Buffer): boolean {
  return answer.length >= 6 && answer.readUIntBE(answer.length - 6, 5) === 0x5a_0000_0005;
}

/** Uses the SQLSTATE cannot_connect_now, which callers treat as an outage. */
function unavailable(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: '57P03' });
}
