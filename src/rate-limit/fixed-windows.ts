import { LRUCache } from 'lru-cache';

/** Bounds the memory that many addresses can take. The least recently used client is evicted. */
export const MOST_CLIENTS = 10_000;

export interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts actions of clients in this process, each client in windows that begin with its first action. */
export class FixedWindows {
  private readonly clients: LRUCache<string, Window>;

  constructor(
    private readonly milliseconds: number,
    max = MOST_CLIENTS,
  ) {
    this.clients = new LRUCache({ max });
  }

  /** Counts one action and returns the window. */
  count(client: string, now: number): Window {
    let window = this.peek(client, now);
    if (!window) {
      window = { count: 0, endsAt: now + this.milliseconds };
      this.clients.set(client, window);
    }
    window.count++;
    return window;
  }

  /** Returns the current window without counting. */
  peek(client: string, now: number): Window | undefined {
    const window = this.clients.get(client);
    return window && window.endsAt > now ? window : undefined;
  }
}
