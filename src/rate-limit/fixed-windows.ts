import { LRUCache } from 'lru-cache';

/** Beyond these the client that was here longest ago is forgotten: whoever has many addresses must not fill the memory. */
export const MOST_CLIENTS = 10_000;

export interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts what clients do in this process: each in a window that begins with its first time. */
export class FixedWindows {
  private readonly clients: LRUCache<string, Window>;

  constructor(
    private readonly milliseconds: number,
    max = MOST_CLIENTS,
  ) {
    this.clients = new LRUCache({ max });
  }

  /** The client's window, with this time counted. */
  count(client: string, now: number): Window {
    let window = this.peek(client, now);
    if (!window) {
      window = { count: 0, endsAt: now + this.milliseconds };
      this.clients.set(client, window);
    }
    window.count++;
    return window;
  }

  /** The client's window as it is; `undefined` when none is open. */
  peek(client: string, now: number): Window | undefined {
    const window = this.clients.get(client);
    return window && window.endsAt > now ? window : undefined;
  }
}
