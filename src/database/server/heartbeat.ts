import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { Availability } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';
import { hangUp } from './hang-up.js';

/** True of a standby, and of a primary that has been demoted: there is a better server, behind a new connection. */
const ASK = 'SHOW transaction_read_only';

const { heartbeatMs, silenceMs } = DATABASE_LIMITS;

class Silence extends Error {
  constructor() {
    super(`it has said nothing for ${silenceMs} ms`);
  }
}

/**
 * Asks the server again and again whether it is there, on a connection of its own. Requests learn of an outage from
 * here rather than each by waiting, and of its end too.
 */
export class Heartbeat {
  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private client: pg.Client | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly availability: Availability,
  ) {}

  start(): void {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.hangUp();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.beat();
        this.availability.found();
      } catch (error) {
        this.hangUp();
        if (!signal.aborted) this.availability.lost(error instanceof Error ? error.message : String(error));
      }
      await delay(heartbeatMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  private async beat(): Promise<void> {
    const begun = performance.now();
    const isReadOnly = this.client
      ? await this.askAgain(this.client, begun)
      : await this.ask(this.connect(), begun);
    this.availability.heard();
    if (isReadOnly) throw new Error('the server is read-only');
  }

  /** That one connection has broken says nothing of the server: whether it takes another does. */
  private async askAgain(client: pg.Client, begun: number): Promise<boolean> {
    try {
      return await this.ask(client, begun);
    } catch (error) {
      if (error instanceof Silence || this.stopping.signal.aborted) throw error;
      this.logger.debug(`The connection of the heartbeat broke, and is made anew: ${String(error)}`);
      this.hangUp();
      return this.ask(this.connect(), begun);
    }
  }

  private async ask(client: pg.Client, begun: number): Promise<boolean> {
    const { rows } = await this.inTime(client.query<{ transaction_read_only: string }>(ASK), begun);
    return rows[0]?.transaction_read_only === 'on';
  }

  private connect(): pg.Client {
    const client = new pg.Client(this.config);
    client.on('error', () => {}); // the statement under way is told too
    // Statements wait for the connection, and fail with it.
    client.connect().catch(() => {});
    this.client = client;
    return client;
  }

  /** The answer, unless the server says nothing at all for too long: busy with other answers, it may be late with this. */
  private async inTime<T>(answer: Promise<T>, begun: number): Promise<T> {
    const answered = new AbortController();
    try {
      return await Promise.race([answer, this.silence(begun, answered.signal)]);
    } finally {
      answered.abort();
    }
  }

  private async silence(begun: number, answered: AbortSignal): Promise<never> {
    const quiet = (): number => Math.min(performance.now() - begun, this.availability.silentFor());
    for (;;) {
      await delay(Math.max(1, silenceMs - quiet()), undefined, { ref: false, signal: answered });
      // When this process was too busy to listen, an answer may have arrived that has not been read.
      await nextTurn();
      await nextTurn();
      if (quiet() >= silenceMs) throw new Silence();
    }
  }

  private hangUp(): void {
    if (this.client) hangUp(this.client);
    this.client = undefined;
  }
}
