/** A reason that holds for this time has replaced the one in the log. */
const LASTING_MS = 5_000;

/** Why something is away. The first reason may not be the one to mend: a server that was restarted refuses the password. */
export class LastingReason {
  private logged = '';
  private latest = '';
  private since = 0;

  /** The reason with which it went away, and which is logged. */
  begin(reason: string): void {
    this.logged = reason;
    this.note(reason);
  }

  /** Returns whether the reason is to be logged, too. */
  replaces(reason: string): boolean {
    if (reason !== this.latest) this.note(reason);
    if (reason === this.logged || performance.now() - this.since < LASTING_MS) return false;
    this.logged = reason;
    return true;
  }

  private note(reason: string): void {
    this.latest = reason;
    this.since = performance.now();
  }
}
