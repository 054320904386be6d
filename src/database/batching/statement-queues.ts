import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { WaitingPlaces } from '../../common/waiting-places.js';
import type { Tracing } from '../../observability/tracing.js';
import type { Availability } from '../availability.js';
import type { DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS, QUEUE_CONNECTIONS } from '../limits.js';
import type { RefusalLog } from '../refusal-log.js';
import { serverClient } from '../server/server-client.js';
import { serverDriver, type ServerPool } from '../server/server-driver.js';
import { StandbyReads } from '../standbys/standby-reads.js';
import { RecentLock } from './recent-lock.js';
import type { BatchTarget } from './batch-sender.js';
import { BatchSize } from './batch-size.js';
import { Inquiry } from './inquiry.js';
import { Isolation } from './isolation.js';
import { type Owner, Owners, partyOf, readerOf, waited, WAITING } from './owners.js';
import { Probes } from './probes.js';
import { RecordedSender } from './recorded-sender.js';
import type { Hold, PendingQuery, Row, Statement } from './statement.js';
import { type Sharing, StatementQueue } from './statement-queue.js';

/** For connections that are not shared with others by a pooler. */
const LIMITS = {
  lock_timeout: DATABASE_LIMITS.lockMs,
  // The server itself ends the transaction of a replica that freezes before it commits.
  idle_in_transaction_session_timeout: DATABASE_LIMITS.waitMs + DATABASE_LIMITS.answerMs,
};
/** Of a queue. */
const kept = (max: number) => ({ max, idleTimeoutMillis: 0 });
/** One more, for use beside a batch that is late. */
const withSpare = (max: number) => ({ min: max, max: max + 1, idleTimeoutMillis: 1_000 });
/** As long as an owner is known as slow. */
const ON_DEMAND = { max: 1, idleTimeoutMillis: 30_000 };
const ATTRIBUTES = { 'db.system.name': 'postgresql' };

/** For inserts that share batches with each other. */
interface Lane {
  readonly writes: StatementQueue;
  readonly recorded: StatementQueue;
}

/** Queues for reads, writes and recorded inserts, so that on a server none waits for the commits of another. */
export class StatementQueues {
  private readonly reads: StatementQueue | StandbyReads;
  private readonly primaryReads: StatementQueue;
  /** Of owners whose reads take long. */
  private readonly slowReads: StatementQueue;
  /** If there are any. */
  readonly standbys: StandbyReads | undefined;
  private readonly shared: Lane;
  /** For inserts that are likely to delay those in their batch, or to have them run again. */
  private readonly doubtful: Lane;
  /** For those that wait for locks: they must not wait for those that take long as well. */
  private readonly waiting: Lane;
  private readonly owners = new Owners();
  /** The pools on a server of what every request needs. */
  readonly pools: ServerPool[] = [];
  private readonly allPools: ServerPool[] = [];
  /** Whether the tables are spread over a cluster. */
  readonly isDistributed: boolean;

  constructor(
    connection: DatabaseConnection,
    dataSource: DataSource,
    availability: Availability,
    refusals: RefusalLog,
    private readonly tracing: Tracing,
    places: WaitingPlaces,
  ) {
    const { Pool } = serverDriver(availability);
    const named = connection.kind === 'embedded' ? !connection.engine.isGuest : connection.preparedStatements;
    const isEmbedded = connection.kind === 'embedded';
    const { distribution } = connection.kind === 'server' ? connection : {};
    this.isDistributed = distribution !== undefined;
    const target = { availability, refusals, named, isEmbedded, distribution };
    const targetOf = (kind: 'read' | 'write', size: pg.PoolConfig, hasSpare = false): BatchTarget => {
      const own = { kind, size: new BatchSize(), locks: new RecentLock() };
      if (connection.kind === 'embedded') {
        // The engine has one session, so a batch borrows TypeORM's only connection.
        const shared = () => (dataSource.driver as unknown as { master: pg.Pool }).master;
        return { ...target, ...own, pool: shared };
      }
      const pool = new Pool({
        ...serverClient(connection),
        ...(connection.preparedStatements && LIMITS),
        onConnect: distribution?.onConnect,
        ...size,
      });
      this.allPools.push(pool);
      return { ...target, ...own, pool: () => pool, hasSpare };
    };
    const { write, recorded } = QUEUE_CONNECTIONS;
    const read = distribution?.readConnections ?? QUEUE_CONNECTIONS.read;
    const probesOf = (others?: Probes, areReads = false) =>
      distribution || isEmbedded ? undefined : new Probes(this.owners, others, areReads);
    const probes = { reads: probesOf(undefined, true), writes: probesOf(), recorded: probesOf() };
    // The batches of a cluster do not all wait for one that is late.
    const forReads = distribution ? targetOf('read', kept(read)) : targetOf('read', withSpare(read), true);
    const moveApart = (query: PendingQuery) => this.slowReads.takeOver({ ...query, party: query.owner });
    this.primaryReads = new StatementQueue(
      { ...forReads, probes: probes.reads, moveApart, inquiry: () => inquiry },
      read,
    );
    this.standbys =
      connection.kind === 'server' && connection.standbyUrls?.length
        ? new StandbyReads(connection, this.primaryReads, availability)
        : undefined;
    this.reads = this.standbys ?? this.primaryReads;
    // On a cluster, savepoints cost more than to find out again which inserts fail. The embedded engine has one session.
    const isolationOfWrites = () => (distribution ? undefined : new Isolation());
    const forWrites = {
      ...targetOf('write', kept(write)),
      isolation: isolationOfWrites(),
      probes: probes.writes,
      ...(probes.writes && { letWait: this.letWait }),
    };
    const writes = new StatementQueue(forWrites, write);
    this.pools.push(...this.allPools);
    const forSlowReads = { ...targetOf('read', ON_DEMAND), probes: probesOf(probes.reads, true) };
    this.slowReads = new StatementQueue(forSlowReads, 1, undefined, places);
    const inquiry =
      probes.reads &&
      new Inquiry({ ...targetOf('read', ON_DEMAND), probes: probesOf(probes.reads, true) }, () =>
        this.owners.want(),
      );
    const forRecorded = targetOf('write', kept(recorded));
    const recordedQueue = (probes: Probes | undefined, connections: number, places?: WaitingPlaces) => {
      const target = { ...forRecorded, isolation: new Isolation(), probes };
      return new StatementQueue(target, connections, (done) => new RecordedSender(target, done), places);
    };
    this.shared = { writes, recorded: recordedQueue(probes.recorded, isEmbedded ? 1 : recorded) };
    const lane = (): Lane => {
      const own = { isolation: isolationOfWrites(), probes: probesOf(probes.writes), size: new BatchSize() };
      return {
        writes: new StatementQueue({ ...forRecorded, ...own, locks: new RecentLock() }, 1, undefined, places),
        recorded: recordedQueue(probesOf(probes.recorded), 1, places),
      };
    };
    [this.doubtful, this.waiting] = [lane(), lane()];
  }

  /** Sees every acknowledged change, wherever it is answered. */
  read(statement: Statement, values: readonly unknown[], owner?: Owner): Promise<Row[]> {
    const reader = owner && readerOf(owner);
    const party = reader && partyOf(reader);
    const reads = party && !this.standbys?.canReadStale ? this.slowReads : this.reads;
    const sharing = reader && { owner: reader, party };
    return this.tracing.span(statement.name, ATTRIBUTES, () => reads.run(statement, values, sharing));
  }

  /** For what decides what is changed. */
  readAtPrimary(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.tracing.span(statement.name, ATTRIBUTES, () => this.primaryReads.run(statement, values));
  }

  /** For what decides who may do something. Stale reads need it while the primary is away. */
  readPermission(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.standbys?.canReadStale
      ? this.standbys.readStale(statement, values)
      : this.readAtPrimary(statement, values);
  }

  write(statement: Statement, values: readonly unknown[], owner?: Owner): Promise<Row[]> {
    const party = owner && partyOf(owner);
    const { writes } = this.laneOf(party);
    return this.tracing.span(statement.name, ATTRIBUTES, () =>
      writes.run(statement, values, { owner, party }),
    );
  }

  private readonly letWait = (query: PendingQuery, isOfOwner: boolean): boolean => {
    const { owner } = query;
    this.owners.want();
    if (owner && isOfOwner) waited(owner);
    const party = (owner && partyOf(owner)) ?? WAITING;
    return this.laneOf(party).writes.takeOver({ ...query, party });
  };

  private laneOf(party: Owner | undefined): Lane {
    if (!party) return this.shared;
    return party === WAITING ? this.waiting : this.doubtful;
  }

  /** Whether statements have to come with their owners. */
  get wantsOwners(): boolean {
    return this.owners.areWanted;
  }

  /** An insert that is committed together with a companion. Resolves after the commit. */
  writeRecorded(
    statement: Statement,
    values: readonly unknown[],
    hold: Hold<Row[]>,
    { owner, party: wanted }: Sharing,
  ): Promise<unknown> {
    // On a cluster, inserts are combined there as well: those of an owner only.
    const party = this.isDistributed && wanted ? owner : wanted;
    const { recorded } = this.laneOf(party);
    return this.tracing.span(statement.name, ATTRIBUTES, () =>
      recorded.runRecorded(statement, values, hold, { owner, party }),
    );
  }

  /** Queued statements, unanswered batches, open connections. */
  get load(): { waiting: number; underWay: number; connections: number } {
    const lanes = [this.shared, this.doubtful, this.waiting];
    const ofLanes = lanes.flatMap(({ writes, recorded }) => [writes, recorded]);
    const loads = [this.reads, this.slowReads, ...ofLanes].map(({ load }) => load);
    return {
      waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
      underWay: loads.reduce((sum, { underWay }) => sum + underWay, 0),
      connections: this.allPools.reduce((sum, pool) => sum + pool.totalCount, 0),
    };
  }

  async close(): Promise<void> {
    await this.standbys?.stop();
    await Promise.all(this.allPools.map((pool) => pool.end()));
  }
}
