import { BatchSender, type BatchTarget, type ReadInquiry } from './batch-sender.js';
import { isKnownAsSlow, isSuspected, type Owner } from './owners.js';
import type { PendingQuery } from './statement.js';

/** Each may take as long as in other isolated batches, and all together less than a batch. */
const MOST = 8;
const MOST_WAITING = 64;
/** After a batch that was given up, reads that get no turn are made as well. */
const FOLLOWED_MS = 1_000;

const ignore = (): void => {};

/**
 * Makes reads again that were refused because a batch was given up, on a connection of its own, to find out whose take long:
 * those that come in bursts would be gone before others are measured.
 */
export class Inquiry implements ReadInquiry {
  private readonly waiting = new Map<Owner, PendingQuery>();
  private isUnderWay = false;
  private followedUntil = -Infinity;

  constructor(
    /** Its probes measure each batch. */
    private readonly target: BatchTarget,
    /** Has further reads come with their owners. */
    private readonly wantOwners: () => void,
  ) {}

  given(reads: readonly PendingQuery[]): void {
    this.wantOwners();
    this.followedUntil = performance.now() + FOLLOWED_MS;
    this.add(reads);
  }

  late(reads: readonly PendingQuery[]): void {
    if (performance.now() < this.followedUntil) this.add(reads);
  }

  private add(reads: readonly PendingQuery[]): void {
    for (const read of reads)
      if (read.owner && !isKnownAsSlow(read.owner) && this.waiting.size < MOST_WAITING)
        this.waiting.set(read.owner, onceMore(read));
    this.start();
  }

  private start(): void {
    if (this.isUnderWay || this.waiting.size === 0) return;
    this.isUnderWay = true;
    let owners: Owner[] = [];
    const ended = (error?: Error): void => {
      this.isUnderWay = false;
      // If there is no connection, or all were quick, as on a busy server, the others need not be made.
      if (error || !owners.some(isSuspected)) this.waiting.clear();
      this.start();
    };
    new BatchSender(this.target, ended).start(() => {
      const some = [...this.waiting].slice(0, MOST);
      owners = some.map(([owner]) => owner);
      for (const owner of owners) this.waiting.delete(owner);
      return some.map(([, read]) => read);
    });
  }
}

/** It is late, and so not tried again. */
function onceMore(read: PendingQuery): PendingQuery {
  return { ...read, since: 0, resolve: ignore, reject: ignore };
}
