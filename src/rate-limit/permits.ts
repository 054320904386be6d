import { FixedWindows } from './fixed-windows.js';

export interface PermitRequest {
  readonly limiter: string;
  readonly client: string;
  readonly limit: number;
}

export interface Grant {
  readonly permits: number;
  /** What is left of the limit after this grant. */
  readonly remaining: number;
  readonly resetMs: number;
}

export const WINDOW_MS = 60_000;
/** A worker gets this share of what is left, divided by the number of workers, so that little is left unused elsewhere. */
const SHARE = 1 / 32;

/**
 * Divides the limits of the service among its workers. Each takes permits in portions, which get smaller as the limit
 * approaches: never more than the limit in all, with a few hundred messages per client and minute.
 */
export class Permits {
  private readonly limiters = new Map<string, FixedWindows>();

  constructor(private readonly workers: number) {}

  grant({ limiter, client, limit }: PermitRequest): Grant {
    let windows = this.limiters.get(limiter);
    if (!windows) this.limiters.set(limiter, (windows = new FixedWindows(WINDOW_MS)));
    const now = Math.floor(performance.now());
    const window = windows.count(client, now);
    const left = limit - window.count;
    const extra = Math.max(0, Math.floor((left * SHARE) / this.workers) - 1);
    window.count += extra;
    const permits = left < 0 ? 0 : 1 + extra;
    return { permits, remaining: Math.max(0, left - extra), resetMs: window.endsAt - now };
  }
}
