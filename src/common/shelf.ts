/** Keeps what is described by several words, a shelf behind each: to make one key of the words takes longer than to look. */
export class Shelf<T> {
  item: T | undefined;
  private readonly behind = new Map<string | number, Shelf<T>>();

  at(word: string | number): Shelf<T> {
    let shelf = this.behind.get(word);
    if (!shelf) this.behind.set(word, (shelf = new Shelf()));
    return shelf;
  }
}
