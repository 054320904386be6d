import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { giveUpAfter } from '../../common/patience.js';
import { destroyConnection } from '../destroy-connection.js';
import { type Follower, NotFollowing } from './follower.js';
import type { History } from './history.js';
import { SERVER } from '../server/server-identity.js';
import type { ReadIndex } from './read-index.js';
import { STANDBY_LIMITS } from './standby-limits.js';

const { catchUpMs, pollMs, stateMs, historyMs } = STANDBY_LIMITS;
/** Twice as long after each: a server that never follows would log an error each time. */
const FIRST_PAUSE_MS = 50;

const STATE = `
  SELECT (${SERVER})::text AS server, pg_is_in_recovery() AS "isStandby",
    (pg_last_wal_replay_lsn() - '0/0')::bigint::text AS position`;

const NAMED_STATE = { name: 'standby state', text: STATE };

interface State {
  readonly server: string;
  readonly isStandby: boolean;
  readonly position: string | null;
}

const NOTHING = { primary: 0n, server: '' };

/** How far a standby has replayed the log of the primary. */
export class Replay implements Follower {
  readonly answerMs = STANDBY_LIMITS.answerMs;
  lag = 0;
  /** The primary, and the start of the standby, whose histories are known to be the same. */
  private proven = NOTHING;
  /** They may have parted since: another standby, which it follows, may have been promoted. */
  private doubtedAt = -Infinity;
  /** Where it was at most. */
  private reached = 0n;

  constructor(
    private readonly history: History,
    /** Returns the position of the primary now. */
    private readonly index: () => Promise<ReadIndex>,
    private readonly named: boolean,
  ) {}

  async catchUp(client: pg.ClientBase): Promise<void> {
    const [index, state] = await this.ask(client);
    await this.reach(index, state, client);
  }

  async follow(client: pg.ClientBase): Promise<void> {
    const [index, state] = await this.ask(client);
    await this.prove(index, state, client);
    await this.reach(index, state, client);
    const { reached } = this;
    this.requireNotAhead(await this.index(), reached);
  }

  /** At the same time. The standby's failure counts first: it may fail while the primary is away. */
  private async ask(client: pg.ClientBase): Promise<[ReadIndex, State]> {
    const before = this.reached;
    const asked = this.index();
    asked.catch(() => {});
    const state = await stateOf(client, this.named);
    const index = await asked;
    if (this.isProven(index, state)) this.requireNotAhead(index, before);
    return [index, state];
  }

  /** Nobody can have replayed what the primary had not written. */
  private requireNotAhead({ position }: ReadIndex, reached: bigint): void {
    if (reached <= position) return;
    this.doubt();
    throw new NotFollowing('it is ahead of the primary, and follows another server');
  }

  private doubt(): void {
    this.proven = NOTHING;
    this.reached = 0n;
    this.doubtedAt = performance.now();
  }

  private async reach(index: ReadIndex, first: State, client: pg.ClientBase): Promise<void> {
    const deadline = performance.now() + catchUpMs;
    for (let state = first; ; state = await stateOf(client, this.named)) {
      this.lag = this.missing(index, state);
      if (this.lag === 0) return;
      if (performance.now() >= deadline) throw new Error(`it is ${this.lag} bytes of the log behind`);
      await delay(pollMs);
    }
  }

  private missing(index: ReadIndex, state: State): number {
    if (!state.isStandby) throw new NotFollowing('it is no standby');
    if (!this.isProven(index, state)) throw new Error('it or the primary has started anew');
    const position = BigInt(state.position ?? 0);
    if (position > this.reached) this.reached = position;
    return Math.max(0, Number(index.position - position));
  }

  private isProven({ primary }: ReadIndex, { server }: State): boolean {
    return this.proven.primary === primary && this.proven.server === server;
  }

  private async prove(index: ReadIndex, state: State, client: pg.ClientBase): Promise<void> {
    if (!state.isStandby || this.isProven(index, state)) return;
    const { primary } = index;
    const end = performance.now() + historyMs;
    let pauseMs = FIRST_PAUSE_MS;
    while (!(await this.history.isShared(primary, client, this.doubtedAt).catch(() => false))) {
      if (performance.now() + pauseMs > end)
        throw new NotFollowing('it does not follow the primary, or is another database of it');
      await delay(pauseMs);
      pauseMs *= 2;
    }
    this.proven = { primary, server: state.server };
    this.reached = 0n;
  }
}

/** On a timeout the connection is destroyed, since the answer may still come. */
async function stateOf(client: pg.ClientBase, named: boolean): Promise<State> {
  let isLate = false;
  const cancel = giveUpAfter(stateMs, () => {
    isLate = true;
    destroyConnection(client);
  });
  try {
    const { rows } = await client.query<State>(named ? NAMED_STATE : STATE);
    return rows[0] as State;
  } catch (error) {
    throw isLate ? new Error(`it has not answered for ${stateMs} ms`) : error;
  } finally {
    cancel();
  }
}
