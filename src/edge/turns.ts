/** Lets only some tasks of a client run at once. Some others wait in order, for a limited time. */
export class Turns {
  private running = 0;
  private readonly waiting: ((isMyTurn: boolean) => void)[] = [];

  constructor(
    private readonly mostRunning: number,
    private readonly mostWaiting: number,
    private readonly waitMs: number,
  ) {}

  /** False when too many wait, or the wait took too long. Each turn that was taken must be ended. */
  take(): boolean | Promise<boolean> {
    if (this.running < this.mostRunning) {
      this.running++;
      return true;
    }
    if (this.waiting.length >= this.mostWaiting) return false;
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        resolve(false);
      }, this.waitMs);
      const begin = (): void => {
        clearTimeout(giveUp);
        resolve(true);
      };
      this.waiting.push(begin);
    });
  }

  end(): void {
    const next = this.waiting.shift();
    if (next) next(true);
    else this.running--;
  }
}
