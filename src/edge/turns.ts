/** Lets only some tasks run at once. Some others wait, for a limited time: in order, or one of each group after another. */
export class Turns {
  private running = 0;
  private waiting = 0;
  private readonly groups = new Map<string, (() => void)[]>();

  constructor(
    private readonly mostRunning: number,
    private readonly mostWaiting: number,
    private readonly waitMs: number,
  ) {}

  /** False when too many wait, or the wait took too long. Each turn that was taken must be ended. */
  take(group = ''): boolean | Promise<boolean> {
    if (this.running < this.mostRunning) {
      this.running++;
      return true;
    }
    if (this.waiting >= this.mostWaiting) return false;
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.leave(group, begin);
        resolve(false);
      }, this.waitMs);
      const begin = (): void => {
        clearTimeout(giveUp);
        resolve(true);
      };
      this.join(group, begin);
    });
  }

  end(): void {
    const [next] = this.groups;
    if (!next) {
      this.running--;
      return;
    }
    const [group, [begin]] = next as [string, [() => void]];
    const others = this.leave(group, begin);
    this.groups.delete(group);
    if (others.length > 0) this.groups.set(group, others); // behind the other groups
    begin();
  }

  private join(group: string, begin: () => void): void {
    this.waiting++;
    const others = this.groups.get(group);
    if (others) others.push(begin);
    else this.groups.set(group, [begin]);
  }

  /** Returns the others of the group. */
  private leave(group: string, begin: () => void): (() => void)[] {
    this.waiting--;
    const all = this.groups.get(group) ?? [];
    all.splice(all.indexOf(begin), 1);
    if (all.length === 0) this.groups.delete(group);
    return all;
  }
}
