import { LRUCache } from 'lru-cache';

/** Beyond these the client that was here longest ago is forgotten: whoever has many addresses must not fill the memory. */
const MOST_CLIENTS = 10_000;

export interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts what clients do in this process: each in a window that begins with its first time. */
export class Windows {
  private readonly clients: LRUCache<string, Window>;

  constructor(
    private readonly milliseconds: number,
    max = MOST_CLIENTS,
  ) {
    this.clients = new LRUCache({ max });
  }

  /** The client's window, with this time counted. */
  count(client: string, now: number): Window {
    let window = this.clients.get(client);
    if (!window || window.endsAt <= now) {
      window = { count: 0, endsAt: now + this.milliseconds };
      this.clients.set(client, window);
    }
    window.count++;
    return window;
  }
}
