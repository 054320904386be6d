import { protocol, type PGlite } from '@electric-sql/pglite';

const { serialize } = protocol;
const SYNC = Buffer.from(serialize.sync());
const query = (text: string): Buffer => Buffer.from(serialize.query(text));

const USER = 'postgres';

/** DISCARD ALL, except the statements that this process prepared. The engine's DEFAULT user is the last one. */
const RESTORE = query(
  `SET SESSION AUTHORIZATION ${USER}; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP`,
);

/** A client of the session. */
export interface SessionClient {
  readonly isGuest: boolean;
  /** Returns the response to a start-up message. */
  start(): Promise<Buffer>;
  /**
   * Sends complete messages to the engine and returns its response.
   *
   * @param isComplete whether the engine must answer with ReadyForQuery
   */
  exchange(messages: Buffer, isComplete: boolean): Promise<Buffer>;
  /** Rolls back what the client left open. Call it after the last exchange. */
  leave(): Promise<void>;
}

/** The only session of a PGlite engine. Transactions of its clients take turns. */
export class PGliteSession {
  #lastVisit: Promise<void> = Promise.resolve();
  /** The client whose transaction is open. */
  #holder: SessionClient | undefined;
  #heldSince = 0;
  readonly #waiting: { client: SessionClient; proceed: () => void }[] = [];
  #failure: Error | undefined;

  constructor(private readonly engine: PGlite) {}

  /** A client of this process. It waits until the previous one has left, and gets a clean session. */
  client(): SessionClient {
    let end: (() => void) | undefined;
    const client: SessionClient = {
      isGuest: false,
      start: async () => {
        const previous = this.#lastVisit;
        this.#lastVisit = new Promise((resolve) => {
          end = resolve;
        });
        await previous;
        await this.#exchange(client, query('DISCARD ALL'), true);
        return this.#greet(client);
      },
      exchange: (messages, isComplete) => this.#exchange(client, messages, isComplete),
      leave: () => this.#rollBack(client).finally(() => end?.()),
    };
    return client;
  }

  /**
   * A client of another process, beside those of this one. The session is restored after each of its transactions. It must
   * not name its statements: the names are those of this process, too.
   */
  guest(): SessionClient {
    const guest: SessionClient = {
      isGuest: true,
      start: () => this.#greet(guest),
      exchange: (messages, isComplete) => this.#exchange(guest, messages, isComplete),
      leave: () => this.#rollBack(guest),
    };
    return guest;
  }

  /** Whether the turn of the client has lasted longer. */
  isHeldBy(client: SessionClient, longerThanMs = 0): boolean {
    return this.#holder === client && performance.now() - this.#heldSince >= longerThanMs;
  }

  /**
   * Not with the client's own start-up message: its settings may include a statement_timeout, which never fires here, or
   * an idle_in_transaction_session_timeout, which would terminate the only session.
   */
  #greet(client: SessionClient): Promise<Buffer> {
    const message = Buffer.from(serialize.startup({ user: USER, database: 'postgres' }));
    return this.#exchange(client, message, true);
  }

  async #rollBack(client: SessionClient): Promise<void> {
    // After an error the engine ignores everything up to a Sync, which a disconnected client may not have sent.
    if (this.isHeldBy(client)) await this.#exchange(client, SYNC, true);
    if (this.isHeldBy(client)) await this.#exchange(client, query('ROLLBACK'), true);
  }

  async #exchange(client: SessionClient, messages: Buffer, isComplete: boolean): Promise<Buffer> {
    if (!this.#holder) this.#hold(client);
    else if (!this.isHeldBy(client)) await this.#turnOf(client);
    let isOver = true;
    try {
      this.check();
      const answer = await this.#run(messages);
      const status = readyStatus(answer);
      if (isComplete && !status) throw new Error('The response lacks ReadyForQuery');
      isOver = isComplete && status === 'I';
      if (isOver && client.isGuest) await this.#run(RESTORE);
      return answer;
    } catch (cause) {
      this.check();
      // An engine that has left its main loop never answers again, or hangs at the next message.
      this.#failure = unavailable('The embedded database has failed', cause);
      throw this.#failure;
    } finally {
      if (isOver) this.#passTurn();
    }
  }

  #turnOf(client: SessionClient): Promise<void> {
    return new Promise((proceed) => {
      // At most one client of this process waits, and it waits for one guest at most.
      if (client.isGuest) this.#waiting.push({ client, proceed });
      else this.#waiting.unshift({ client, proceed });
    });
  }

  #hold(client: SessionClient | undefined): void {
    this.#holder = client;
    this.#heldSince = performance.now();
  }

  #passTurn(): void {
    const next = this.#waiting.shift();
    this.#hold(next?.client);
    next?.proceed();
  }

  /** Throws when no statement can be answered any more. */
  check(): void {
    if (this.#failure) throw this.#failure;
    if (!this.engine.ready) throw unavailable('The embedded database is closed');
  }

  async #run(messages: Buffer): Promise<Buffer> {
    const answer: Buffer[] = [];
    // Copied, because the bytes are a view of the engine's memory; collected, because the client's code and its
    // exceptions must not run inside the engine.
    const onRawData = (bytes: Uint8Array) => void answer.push(Buffer.from(bytes));
    await this.engine.runExclusive(() => {
      this.check(); // It may have been closed while this waited.
      return this.engine.execProtocolRawStream(messages, { onRawData });
    });
    return Buffer.concat(answer);
  }
}

/** The transaction status at the end of the answer: ReadyForQuery is `Z`, the length 5, and `I`, `T` or `E`. */
function readyStatus(answer: Buffer): string | undefined {
  const isReady = answer.length >= 6 && answer.readUIntBE(answer.length - 6, 5) === 0x5a_0000_0005;
  return isReady ? answer.toString('latin1', answer.length - 1) : undefined;
}

/** Uses the SQLSTATE cannot_connect_now, which callers treat as an outage. */
function unavailable(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: '57P03' });
}
