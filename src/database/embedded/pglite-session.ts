import { protocol, type PGlite } from '@electric-sql/pglite';

const { serialize } = protocol;

/** The one session that a PGlite engine has. Clients take turns on it, each as if it were newly connected. */
export class PGliteSession {
  #lastTurn: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  constructor(private readonly engine: PGlite) {}

  /** Waits until all earlier clients have left; resolves with the function to leave. */
  async enter(): Promise<() => void> {
    const earlier = this.#lastTurn;
    let leave!: () => void;
    this.#lastTurn = new Promise((resolve) => {
      leave = resolve;
    });
    await earlier;
    return leave;
  }

  /** Answers a start-up message, after removing whatever the previous client left behind. */
  async start(): Promise<Buffer> {
    // After an error the engine ignores everything up to a Sync, which a client that was cut off never sent.
    await this.exchange(Buffer.from(serialize.sync()), true);
    await this.exchange(Buffer.from(serialize.query('ROLLBACK')), true);
    await this.exchange(Buffer.from(serialize.query('DISCARD ALL')), true);
    // Not the client's own message: its settings may hold a statement_timeout, which never fires here, or an
    // idle_in_transaction_session_timeout, which ends the only session there is.
    return this.exchange(Buffer.from(serialize.startup({ user: 'postgres', database: 'postgres' })), true);
  }

  /**
   * Hands whole messages to the engine and returns its answer.
   *
   * @param isComplete whether the messages end with one after which the engine must be ready for the next query
   */
  async exchange(messages: Buffer, isComplete: boolean): Promise<Buffer> {
    this.#check();
    try {
      const answer = await this.#run(messages);
      if (isComplete && !endsReadyForQuery(answer)) throw new Error('The answer has no end');
      return answer;
    } catch (cause) {
      this.#check();
      // An engine that has left its main loop answers nothing more, or spins for ever at the next message.
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
    // The bytes are a view of the engine's memory, and handing them on from here would run the client's code,
    // and its exceptions, in the middle of the engine.
    const onRawData = (bytes: Uint8Array) => void answer.push(Buffer.from(bytes));
    await this.engine.runExclusive(() => {
      this.#check(); // It may have been closed while this waited.
      return this.engine.execProtocolRawStream(messages, { onRawData });
    });
    return Buffer.concat(answer);
  }
}

/** `Z`, the length 5, and the state of the transaction. */
function endsReadyForQuery(answer: Buffer): boolean {
  return answer.length >= 6 && answer.readUIntBE(answer.length - 6, 5) === 0x5a_0000_0005;
}

/** With the code of a server that takes no connections: to a caller this is an outage like any other. */
function unavailable(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: '57P03' });
}
