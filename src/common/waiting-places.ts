/**
 * The requests of the process that wait for one another: for a turn, for an equal request, or for a batch of their own. They
 * are few, so that all keys together leave room for requests that wait for nobody. When all places are taken, the group
 * with the most gives up its newest for one with fewer.
 */
export class WaitingPlaces {
  /** With what ends their wait, the newest last. */
  private readonly groups = new Map<unknown, (() => void)[]>();
  private taken = 0;

  constructor(private readonly most: number) {}

  /** Returns what frees the place, which also happens before `giveUp` is called; or nothing when there is none. */
  take(group: unknown, giveUp: () => void): (() => void) | undefined {
    if (this.taken >= this.most && !this.makeRoomFor(group)) return undefined;
    const free = (): void => this.free(group, giveUp);
    const others = this.groups.get(group);
    if (others) others.push(giveUp);
    else this.groups.set(group, [giveUp]);
    this.taken++;
    return free;
  }

  private makeRoomFor(group: unknown): boolean {
    let [largest, crowd]: [unknown, (() => void)[]] = [group, this.groups.get(group) ?? []];
    const fewest = crowd.length + 1;
    for (const [other, its] of this.groups) if (its.length > crowd.length) [largest, crowd] = [other, its];
    if (crowd.length <= fewest) return false;
    const newest = crowd.at(-1) as () => void;
    this.free(largest, newest);
    newest();
    return true;
  }

  private free(group: unknown, giveUp: () => void): void {
    const all = this.groups.get(group) ?? [];
    const position = all.indexOf(giveUp);
    if (position < 0) return;
    this.taken--;
    all.splice(position, 1);
    if (all.length === 0) this.groups.delete(group);
  }
}
