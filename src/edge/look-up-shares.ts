import { NoRoom } from '../api/errors/api-error.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import type { LoadMonitor } from './load-monitor.js';
import { Turns } from './turns.js';

interface SharedTurn {
  readonly begins: boolean | Promise<boolean>;
  isTaken: boolean;
  users: number;
}

/** Beside the time that the look-up itself may take. */
const WAIT_MS = 250;
/** Those of hundreds of networks would fill what the proxy gives to a replica. */
const MOST_WAITING = 24;

/**
 * The requests of each network that wait for the look-up of their key. They belong to no key yet, so made-up keys could
 * otherwise take all places, and the whole queue of a slow database.
 */
export class LookUpShares {
  private readonly turns: Turns;
  /** By network and key: those that are waited for or used. */
  private readonly shared = new Map<string, SharedTurn>();

  constructor(
    private readonly load: Pick<LoadMonitor, 'lookUps' | 'mayLookUp'>,
    /** The look-ups of all networks that run at once. They take turns. */
    mostRunning: number,
  ) {
    this.turns = new Turns({ mostRunning, waitMs: WAIT_MS }, new WaitingPlaces(MOST_WAITING));
  }

  async run<T>(network: string, key: string, lookUp: () => Promise<T>): Promise<T> {
    const { lookUps } = this.load;
    if (!this.load.mayLookUp(network))
      throw new NoRoom('Too many keys of this network are being looked up. Try again in a second.');
    lookUps.add(network);
    try {
      return await this.inTurn(network, key, lookUp);
    } finally {
      lookUps.remove(network);
    }
  }

  /** Copies of a key share a turn, as they share the look-up. */
  private async inTurn<T>(network: string, key: string, lookUp: () => Promise<T>): Promise<T> {
    const name = `${network} ${key}`;
    const turn = this.shared.get(name) ?? { begins: this.turns.take(network), isTaken: false, users: 0 };
    this.shared.set(name, turn);
    turn.users++;
    try {
      turn.isTaken = turn.begins === true || (await turn.begins);
      if (!turn.isTaken) throw new NoRoom('Too many keys are being looked up. Try again in a second.');
      return await lookUp();
    } finally {
      if (--turn.users === 0) {
        this.shared.delete(name);
        if (turn.isTaken) this.turns.end(network);
      }
    }
  }
}
