/** A cache keyed by several words. Nested maps are faster than joining the words into one key. */
export class Shelf<T> {
  item: T | undefined;
  private readonly behind = new Map<string | number, Shelf<T>>();

  at(word: string | number): Shelf<T> {
    let shelf = this.behind.get(word);
    if (!shelf) this.behind.set(word, (shelf = new Shelf()));
    return shelf;
  }
}
