type Kind = 'unknown' | 'missing' | 'invalid';

/** What is wrong with an input, and where. Readers return it: an exception for each refused value would be slow. */
export class Fault {
  constructor(
    readonly kind: Kind,
    /** Completes the sentence "The field "name" …". */
    readonly says: string,
    /** Such as `items[2].name`; empty for the value itself. */
    readonly path = '',
  ) {}

  static mustBe(expected: string): Fault {
    return new Fault('invalid', `must be ${expected}`);
  }

  /** The same fault, seen from the object or the list that holds the value. */
  within(holder: string): Fault {
    const separator = this.path === '' || this.path.startsWith('[') ? '' : '.';
    return new Fault(this.kind, this.says, holder + separator + this.path);
  }
}
