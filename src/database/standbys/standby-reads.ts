import type { Availability } from '../availability.js';
import type { Row, Statement } from '../batching/statement.js';
import type { Sharing, StatementQueue } from '../batching/statement-queue.js';
import type { ServerConnection } from '../connection.js';
import { withinLimits } from '../within-limits.js';
import { serverClient } from '../server/server-client.js';
import type { Follower } from './follower.js';
import { History } from './history.js';
import { askPrimary, NoReadIndex, readIndex } from './read-index.js';
import { Replay } from './replay.js';
import { Standby } from './standby.js';

/**
 * Sends reads to standbys. They see every change that was acknowledged before, because a standby answers a batch of them
 * only after it has replayed what the primary had when they had arrived; the primary answers where no standby can.
 */
export class StandbyReads {
  readonly standbys: readonly Standby[];
  /** The reads that went to the primary, because no standby could answer them. */
  fallbacks = 0;
  private turn = 0;
  private staleAt = -Infinity;

  constructor(
    private readonly connection: ServerConnection,
    private readonly primary: StatementQueue,
    private readonly availability: Availability,
  ) {
    const follower = followers(connection, primary);
    this.standbys = (connection.standbyUrls ?? []).map(
      (url) =>
        new Standby(
          new URL(url).host,
          serverClient({ ...connection, url }),
          connection.preparedStatements,
          follower(),
          () => availability.awayFor(),
        ),
    );
  }

  run(statement: Statement, values: readonly unknown[], sharing?: Sharing): Promise<Row[]> {
    const standby = this.leastLoaded();
    if (!standby) return this.askPrimary(statement, values, sharing);
    const begun = performance.now();
    return standby.read(statement, values).catch((reason: unknown) => {
      if (!(reason instanceof NoReadIndex))
        return withinLimits(begun, this.askPrimary(statement, values, sharing));
      if (!this.canReadStale) throw reason.cause;
      return this.readStale(statement, values);
    });
  }

  get allowsStale(): boolean {
    return this.connection.staleReads === true;
  }

  /** Whether the primary is away, and a standby that was close behind may answer. */
  get canReadStale(): boolean {
    return this.allowsStale && this.availability.isAway && this.leastLoaded(true) !== undefined;
  }

  readStale(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    this.staleAt = performance.now();
    return (this.leastLoaded(true) as Standby).readStale(statement, values);
  }

  /** Whether a read of a request that began then may be stale. Those of others at the time count as well. */
  mayBeStaleSince(begun: number): boolean {
    return this.staleAt >= begun;
  }

  private askPrimary(statement: Statement, values: readonly unknown[], sharing?: Sharing): Promise<Row[]> {
    this.fallbacks++;
    return this.primary.run(statement, values, sharing);
  }

  /** By unanswered reads, so that each gets what it can take. Equal ones take turns. */
  private leastLoaded(isStale = false): Standby | undefined {
    const { standbys } = this;
    this.turn = (this.turn + 1) % standbys.length;
    let least: Standby | undefined;
    for (let i = 0; i < standbys.length; i++) {
      const standby = standbys[(this.turn + i) % standbys.length] as Standby;
      if (!standby.isAvailable || (isStale && !standby.wasCloseBehind)) continue;
      if (!least || standby.pending < least.pending) least = standby;
    }
    return least;
  }

  get load(): { waiting: number; underWay: number } {
    const loads = [this.primary.load, ...this.standbys.map(({ load }) => load)];
    return {
      waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
      underWay: loads.reduce((sum, { underWay }) => sum + underWay, 0),
    };
  }

  start(): void {
    for (const standby of this.standbys) standby.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.standbys.map((standby) => standby.stop()));
  }
}

/** Makes what tells of each standby whether it may serve. */
function followers(connection: ServerConnection, primary: StatementQueue): () => Follower {
  const { distribution, preparedStatements } = connection;
  if (distribution) return () => distribution.follower((...question) => askPrimary(primary, ...question));
  const history = new History(serverClient(connection));
  return () => new Replay(history, () => readIndex(primary), preparedStatements);
}
