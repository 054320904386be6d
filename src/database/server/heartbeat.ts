import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type pg from 'pg';
import { readSockets } from '../../common/patience.js';
import type { Availability } from '../availability.js';
import { destroyConnection } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { RowParsingClient } from '../pg-driver.js';
import { ClockWatch } from './clock-watch.js';
import { MoveWatch } from './move-watch.js';
import { PROCESS_MARK } from './process-mark.js';
import type { SessionConfig } from './server-client.js';
import type { ServerPool } from './server-driver.js';
import { StallWatch } from './stall-watch.js';
import type { TimeoutSafeClient } from './timeout-safe-client.js';

/**
 * True on a standby and on a demoted primary: a new connection may lead to the current primary. If the heartbeat's own
 * connection is lost, the answers of others would keep it waiting without a limit.
 */
const ASK = { text: 'SHOW transaction_read_only', query_timeout: DATABASE_LIMITS.connectMs };
const ASK_QUEUE = "SELECT current_setting('transaction_read_only') AS transaction_read_only";

const { heartbeatMs, silenceMs } = DATABASE_LIMITS;
/** How long the heartbeat uses the connections of the queues after it got none of its own. */
const OWN_AGAIN_MS = 5_000;

interface Queryable {
  query(question: string | typeof ASK): Promise<pg.QueryResult<{ transaction_read_only: string }>>;
}

class Silence extends Error {
  constructor() {
    super(`it has said nothing for ${silenceMs} ms`);
  }
}

/**
 * Detects the start and the end of an outage, so that requests do not each wait for a timeout. The database is away when
 * the queues cannot use it. The heartbeat's own connection only keeps it from waiting behind a batch: the queues connect
 * first, and when connections are scarce the heartbeat uses theirs.
 */
export class Heartbeat {
  private readonly logger = new Logger('Database');
  private readonly stopping = new AbortController();
  private readonly clocks = new ClockWatch();
  private readonly stalls: StallWatch;
  private readonly moves: MoveWatch;
  private client: pg.Client | undefined;
  private ownAgainAt = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: SessionConfig,
    private readonly pools: readonly ServerPool[],
    private readonly availability: Availability,
  ) {
    this.stalls = new StallWatch(config.session ? '' : PROCESS_MARK);
    this.moves = new MoveWatch(config, availability.connections, () => this.disconnect());
  }

  /** Resolves after the first beat, whatever it found. */
  start(): Promise<void> {
    const begun = this.beat();
    this.ended = begun.then(() => this.run());
    return begun;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.disconnect();
    this.moves.stop();
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
      this.availability.markAvailable();
      if (this.client) this.clocks.ask(this.client);
      this.stalls.watch(this.availability, this.client);
    } catch (error) {
      this.disconnect();
      if (this.stopping.signal.aborted) return;
      this.availability.markAway(error instanceof Error ? error.message : String(error));
    }
  }

  private async askServer(): Promise<void> {
    const isReadOnly = (await this.askOwn()) ?? (await this.askQueues());
    this.availability.recordResponse();
    if (isReadOnly) throw new Error('the server is read-only');
    this.moves.check();
  }

  /** `undefined` without a connection. A broken connection says nothing about the server, so it is replaced first. */
  private async askOwn(): Promise<boolean | undefined> {
    if (!this.availability.isAvailable || this.pools.some(({ totalCount }) => totalCount === 0)) {
      this.disconnect();
      return undefined;
    }
    try {
      if (this.client) return await this.ask(this.client, ASK);
    } catch (error) {
      if (this.isFinal(error)) throw error;
      this.logger.debug(`The heartbeat's connection broke and is replaced: ${String(error)}`);
      this.disconnect();
    }
    if (performance.now() < this.ownAgainAt) return undefined;
    try {
      return await this.ask(this.connect(), ASK);
    } catch (error) {
      this.logger.debug(`The heartbeat uses the connections of the queues: ${String(error)}`);
      this.disconnect();
      this.ownAgainAt = performance.now() + OWN_AGAIN_MS;
      return undefined;
    }
  }

  private async askQueues(): Promise<boolean> {
    // A queue whose server processes hang may get no further connection, although the server works.
    const sound = this.pools.filter(({ hasAbandoned }) => !hasAbandoned);
    const answers = await Promise.all(
      (sound.length > 0 ? sound : this.pools).map((pool) =>
        this.askQueue(pool).catch((error: unknown) => {
          if (this.isFinal(error)) throw error;
          return this.askQueue(pool); // on a new connection
        }),
      ),
    );
    return answers.includes(true);
  }

  private async askQueue(pool: ServerPool): Promise<boolean> {
    const connecting = pool.probe();
    const client = await this.inTime(connecting).catch((error: unknown) => {
      connecting.then((late) => late.release()).catch(() => {});
      throw error;
    });
    try {
      const isReadOnly = await this.ask(client, ASK_QUEUE);
      (client as pg.PoolClient & TimeoutSafeClient).isOutdated ||= isReadOnly;
      client.release(isReadOnly);
      return isReadOnly;
    } catch (error) {
      destroyConnection(client, () => client.release(true));
      throw error;
    }
  }

  private async ask(client: Queryable, question: string | typeof ASK): Promise<boolean> {
    const { rows } = await this.inTime(client.query(question));
    return rows[0]?.transaction_read_only === 'on';
  }

  private isFinal(error: unknown): boolean {
    return error instanceof Silence || this.stopping.signal.aborted;
  }

  private connect(): pg.Client {
    const client = new RowParsingClient(this.config);
    client.connect().catch(() => {}); // queries wait for the connection, and reject with it
    this.client = client;
    return client;
  }

  /** Rejects once the server has been silent on all connections for too long: a busy one may answer this query late. */
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
      const ms = Math.max(1, silenceMs - quiet());
      const due = performance.now() + ms;
      await delay(ms, undefined, { ref: false, signal: answered });
      await readSockets(due);
      if (quiet() >= silenceMs) throw new Silence();
    }
  }

  private disconnect(): void {
    if (this.client) destroyConnection(this.client);
    this.client = undefined;
  }
}
