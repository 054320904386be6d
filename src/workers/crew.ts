/**
 * Decides which workers to start and to retire, from those that there are: their number becomes right again, whichever of
 * them end and when.
 */
export class Crew<Worker> {
  /** Whether a worker has ever got ready. */
  hasStarted = false;
  readonly serving = new Set<Worker>();
  private readonly starting = new Set<Worker>();
  /** Those of both that a renewal replaces. */
  private readonly outdated = new Set<Worker>();
  /** They are ending, and none of the former. */
  private readonly retired = new Set<Worker>();

  constructor(private readonly size: number) {}

  get isComplete(): boolean {
    const others = this.starting.size + this.outdated.size + this.retired.size;
    return this.serving.size === this.size && others === 0;
  }

  /**
   * Whether to start another one. The first starts alone: it migrates the database, and a mistake in the settings is
   * reported once. A renewal has one more at a time.
   */
  get isShort(): boolean {
    if (!this.hasStarted) return this.present === 0;
    const more = this.outdated.size > 0 && this.retired.size === 0 ? 1 : 0;
    return this.present < this.size + more;
  }

  isRetired(worker: Worker): boolean {
    return this.retired.has(worker);
  }

  noteStart(worker: Worker): void {
    this.starting.add(worker);
  }

  noteReady(worker: Worker): void {
    if (!this.starting.delete(worker)) return; // retired meanwhile
    this.serving.add(worker);
    this.hasStarted = true;
  }

  /** Says what the worker did until its end. */
  noteEnd(worker: Worker): 'starting' | 'serving' | 'retired' {
    const activity = this.isRetired(worker) ? 'retired' : this.serving.has(worker) ? 'serving' : 'starting';
    for (const group of [this.retired, this.serving, this.starting, this.outdated]) group.delete(worker);
    return activity;
  }

  /** All that are present are to be replaced, even if they are still starting. */
  renew(): void {
    for (const worker of [...this.serving, ...this.starting]) this.outdated.add(worker);
  }

  /** Lets the present ones go on. Returns whether any was to be replaced. */
  giveUpRenewal(): boolean {
    const wasRenewing = this.outdated.size > 0;
    this.outdated.clear();
    return wasRenewing;
  }

  /** Chooses an outdated worker that can go: one that serves only once enough others do. */
  retireOne(): Worker | undefined {
    const next = [...this.outdated].find(
      (worker) => (this.serving.has(worker) ? this.serving.size : this.present) > this.size,
    );
    if (next === undefined) return undefined;
    this.noteEnd(next);
    this.retired.add(next);
    return next;
  }

  private get present(): number {
    return this.serving.size + this.starting.size;
  }
}
