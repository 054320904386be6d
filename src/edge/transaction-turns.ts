import { NoRoom } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import type { WaitingPlaces } from '../common/waiting-places.js';
import { beyondShare } from './shares.js';
import { Turns } from './turns.js';

/**
 * Of those that change the same rows, one works and the next one waits for its locks. Further ones, and so those of other
 * processes, would wait in the database, for which all are equal, and longer than a statement may take.
 */
const MOST_RUNNING_PER_TARGET = 2;

/** Describes the operations that occupy connections of the database, which the edge may not import. */
export const TRANSACTIONAL = Symbol('transactional operations');
export interface Transactional {
  /** The classes of their controllers. */
  readonly controllers: ReadonlySet<unknown>;
  /** How many run at once, and of one key, and how long others wait for their turn. */
  readonly mostRunning: number;
  readonly mostPerKey: number;
  readonly waitMs: number;
  /** Notes, and tells the client, that there was no turn although its key had not too many. */
  readonly busy: () => Error;
}

/**
 * The turns of transactions: those of one key, and those that change one resource, leave some to others, and the next one
 * is for the key that had the fewest of late.
 */
export class TransactionTurns extends Turns {
  constructor(
    private readonly transactional: Transactional,
    places: WaitingPlaces,
  ) {
    const { mostRunning, mostPerKey, waitMs } = transactional;
    const mostRunningPerTarget = Math.min(MOST_RUNNING_PER_TARGET, Math.floor(mostRunning / 2));
    // Without any that is free for others, all of them may end at once, and these have waited too long by then.
    const mostRunningLong = Math.max(1, mostRunning - Math.ceil(mostRunning / 4));
    const perTurn = { mostRunningPerGroup: mostPerKey, mostRunningPerTarget, mostRunningLong };
    super({ mostRunning, ...perTurn, waitMs }, places);
  }

  refusalOf(load: KeyLoad, target: string | undefined): Error {
    if (this.isShareTaken(load)) return beyondShare('key');
    if (this.isTargetTaken(target))
      return new NoRoom('Too many changes of this resource are under way. Try again in a second.');
    return this.transactional.busy();
  }
}
