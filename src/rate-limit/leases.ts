import { LRUCache } from 'lru-cache';
import { MOST_CLIENTS } from './fixed-windows.js';
import type { Grant, PermitRequest } from './permits.js';

export type AskForPermits = (request: PermitRequest) => Promise<Grant>;

interface Lease {
  /** What this process may still use. */
  permits: number;
  /** What was left for all when the permits were granted. */
  readonly remaining: number;
  readonly endsAt: number;
}

export interface Taken {
  /** Negative when there was no permit. */
  readonly left: number;
  readonly endsAt: number;
}

/** Counts the actions of clients with permits from the primary process, and asks for more when they are used up. */
export class Leases {
  private readonly leases = new LRUCache<string, Lease>({ max: MOST_CLIENTS });
  private readonly asked = new Map<string, Promise<Lease>>();

  constructor(
    private readonly limiter: string,
    private readonly limit: number,
    private readonly ask: AskForPermits,
  ) {}

  /** Uses one permit. A promise only when the primary has to be asked. */
  take(client: string, now: number): Taken | Promise<Taken> {
    const lease = this.leases.get(client);
    return (lease && lease.endsAt > now && takeFrom(lease)) || this.takeMore(client);
  }

  /** Requests that wait for the same grant may need another. */
  private async takeMore(client: string): Promise<Taken> {
    for (;;) {
      const lease = await (this.asked.get(client) ?? this.askFor(client));
      const taken = takeFrom(lease);
      if (taken) return taken;
    }
  }

  private askFor(client: string): Promise<Lease> {
    // Not after the end of the primary's window, however long the answer takes.
    const askedAt = Math.floor(performance.now());
    const { limiter, limit } = this;
    const lease = this.ask({ limiter, client, limit })
      .then(({ permits, remaining, resetMs }): Lease => ({ permits, remaining, endsAt: askedAt + resetMs }))
      .then((granted) => {
        this.leases.set(client, granted);
        return granted;
      })
      .finally(() => this.asked.delete(client));
    this.asked.set(client, lease);
    return lease;
  }
}

/** Undefined when it is worth asking for more. */
function takeFrom(lease: Lease): Taken | undefined {
  const { remaining, endsAt } = lease;
  if (lease.permits > 0) return { left: --lease.permits + remaining, endsAt };
  return remaining > 0 ? undefined : { left: -1, endsAt };
}
