import type { DatabaseError } from 'pg';
import { isRaised, meaningOfError } from '../database-errors.js';
import type { RefusalLog } from '../refusal-log.js';
import { QUERY_CANCELED } from '../sqlstate.js';

/** Where the server is close, isolated inserts take much longer than combined ones, and to find it out again hardly any time. */
const LASTS_BATCHES = 20;
/** Such as a missing right. */
const CAUSE_LASTS_MS = 60_000;

/**
 * Whether batches isolate their inserts instead of combining them, which costs more. It begins when an insert met a lock
 * or was refused, or inserts cannot be combined, and ends early when it makes a batch too slow.
 */
export class Isolation {
  private until = -Infinity;
  private why: DatabaseError | undefined;

  get isOn(): boolean {
    return performance.now() < this.until;
  }

  /** Why inserts cannot be combined, although each of them succeeds, if that is so. */
  get cause(): DatabaseError | undefined {
    return this.isOn ? this.why : undefined;
  }

  begin(lastsMs: number, cause = this.cause): void {
    this.until = Math.max(this.until, performance.now() + lastsMs);
    this.why = cause;
  }

  end(): void {
    this.until = -Infinity;
  }
}

/** What a batch finds out about its inserts, so that further ones need not. */
export class Findings {
  private attemptedAt = 0;
  private ofCombined: DatabaseError | undefined;
  /** Why inserts cannot be combined, unless some fail alone with the same code. */
  private cause: DatabaseError | undefined;
  private readonly codes = new Set<string | undefined>();

  constructor(
    private readonly isolation: Isolation | undefined,
    private readonly refusals: Pick<RefusalLog, 'countUncombined'>,
  ) {}

  attempted(): void {
    this.attemptedAt = performance.now();
  }

  combinedFailed(error: DatabaseError): void {
    this.ofCombined = error;
    this.cause = mayConcernAll(error) ? error : undefined;
  }

  isolatedFailed(error: DatabaseError): void {
    if (!isSlow(error)) this.codes.add(error.code);
  }

  /** One of them may be faulty. */
  someGivenUp(): void {
    this.cause = undefined;
  }

  /** Further batches need not wait for what is found out, by when this one may be late. */
  isolate(): void {
    if (this.ofCombined && !isSlow(this.ofCombined)) this.isolation?.begin(this.lastsMs);
  }

  isolated(): void {
    const { isolation, refusals, codes } = this;
    if (!isolation) return;
    const error = this.cause ?? isolation.cause;
    const cause = error && !codes.has(error.code) ? error : undefined;
    if (cause) refusals.countUncombined(cause);
    if (cause && this.cause) isolation.begin(CAUSE_LASTS_MS, cause);
    else if (codes.size > 0) isolation.begin(this.lastsMs, cause);
  }

  private get lastsMs(): number {
    return LASTS_BATCHES * (performance.now() - this.attemptedAt);
  }
}

/** In isolation, it would take longer. */
export function isSlow(error: DatabaseError): boolean {
  return error.code === QUERY_CANCELED && !isRaised(error);
}

/**
 * Whether an error of combined inserts may concern all of them: for instance, single ones need no permission to use the
 * sequence of the ids. Most errors that a row causes do not. 22012: a trigger chose ids. P0001: a trigger may count the
 * rows.
 */
function mayConcernAll(error: DatabaseError): boolean {
  return meaningOfError(error) === 'schema' || ['22012', 'P0001'].includes(error.code ?? '');
}
