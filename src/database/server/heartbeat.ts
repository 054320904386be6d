import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { Availability } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';
import { hangUp } from './hang-up.js';
import { readSockets } from './read-sockets.js';
import type { WatchedPool } from './server-driver.js';

/** True of a standby, and of a primary that has been demoted: there is a better server, behind a new connection. */
const ASK = 'SHOW transaction_read_only';
const ASK_LANE = "SELECT current_setting('transaction_read_only') AS transaction_read_only";

const { heartbeatMs, silenceMs } = DATABASE_LIMITS;
/** How long the heartbeat uses the lanes' connections after it could not have its own. */
const OWN_AGAIN_MS = 5_000;

interface Asked {
  query(text: string): Promise<pg.QueryResult<{ transaction_read_only: string }>>;
}

class Silence extends Error {
  constructor() {
    super(`it has said nothing for ${silenceMs} ms`);
  }
}

/**
 * Asks the server again and again whether it is there. Requests learn of an outage from here rather than each by waiting,
 * and of its end too. The database is away when the lanes cannot work: a connection of the heartbeat's own only spares it
 * waiting behind a batch. It is made when every lane has one, and when connections are scarce the heartbeat uses theirs.
 */
export class Heartbeat {
  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private client: pg.Client | undefined;
  private ownAgainAt = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly lanes: readonly WatchedPool[],
    private readonly availability: Availability,
  ) {}

  /** Resolves after the first beat, whatever it found. */
  start(): Promise<void> {
    const begun = this.beat();
    this.ended = begun.then(() => this.run());
    return begun;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.hangUp();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await delay(heartbeatMs, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.beat();
    }
  }

  private async beat(): Promise<void> {
    try {
      await this.askServer();
      this.availability.found();
    } catch (error) {
      this.hangUp();
      if (this.stopping.signal.aborted) return;
      this.availability.lost(error instanceof Error ? error.message : String(error));
    }
  }

  private async askServer(): Promise<void> {
    const isReadOnly = (await this.askAlone()) ?? (await this.askLanes());
    this.availability.heard();
    if (isReadOnly) throw new Error('the server is read-only');
  }

  /** `undefined` when there is no connection for it. That one has broken says nothing of the server, so it is made anew. */
  private async askAlone(): Promise<boolean | undefined> {
    if (!this.availability.isAvailable || this.lanes.some(({ totalCount }) => totalCount === 0)) {
      this.hangUp();
      return undefined;
    }
    try {
      if (this.client) return await this.ask(this.client, ASK);
    } catch (error) {
      if (error instanceof Silence || this.stopping.signal.aborted) throw error;
      this.logger.debug(`The connection of the heartbeat broke, and is made anew: ${String(error)}`);
      this.hangUp();
    }
    if (performance.now() < this.ownAgainAt) return undefined;
    try {
      return await this.ask(this.connect(), ASK);
    } catch (error) {
      this.logger.debug(`The heartbeat uses the connections of the lanes: ${String(error)}`);
      this.hangUp();
      this.ownAgainAt = performance.now() + OWN_AGAIN_MS;
      return undefined;
    }
  }

  private async askLanes(): Promise<boolean> {
    const answers = await Promise.all(
      this.lanes.map((lane) =>
        this.askLane(lane).catch((error: unknown) => {
          if (error instanceof Silence || this.stopping.signal.aborted) throw error;
          return this.askLane(lane); // on a new connection
        }),
      ),
    );
    return answers.includes(true);
  }

  private async askLane(lane: WatchedPool): Promise<boolean> {
    const connecting = lane.probe();
    const client = await this.inTime(connecting).catch((error: unknown) => {
      connecting.then((late) => late.release()).catch(() => {});
      throw error;
    });
    client.on('error', ignore); // the statement under way is told too
    const giveBack = (broken: boolean): void => {
      client.off('error', ignore);
      client.release(broken);
    };
    try {
      const isReadOnly = await this.ask(client, ASK_LANE);
      giveBack(isReadOnly);
      return isReadOnly;
    } catch (error) {
      hangUp(client, () => giveBack(true));
      throw error;
    }
  }

  private async ask(client: Asked, question: string): Promise<boolean> {
    const { rows } = await this.inTime(client.query(question));
    return rows[0]?.transaction_read_only === 'on';
  }

  private connect(): pg.Client {
    const client = new pg.Client(this.config);
    client.on('error', ignore); // the statement under way is told too
    // Statements wait for the connection, and fail with it.
    client.connect().catch(() => {});
    this.client = client;
    return client;
  }

  /** The answer, unless the server says nothing at all for too long: busy with other answers, it may be late with this. */
  private async inTime<T>(answer: Promise<T>): Promise<T> {
    const answered = new AbortController();
    try {
      return await Promise.race([answer, this.silence(performance.now(), answered.signal)]);
    } finally {
      answered.abort();
    }
  }

  private async silence(begun: number, answered: AbortSignal): Promise<never> {
    const quiet = (): number => Math.min(performance.now() - begun, this.availability.silentFor());
    for (;;) {
      await delay(Math.max(1, silenceMs - quiet()), undefined, { ref: false, signal: answered });
      await readSockets();
      if (quiet() >= silenceMs) throw new Silence();
    }
  }

  private hangUp(): void {
    if (this.client) hangUp(this.client);
    this.client = undefined;
  }
}

const ignore = (): void => {};
