import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Logger } from '@nestjs/common';
import { giveUpAfter } from './patience.js';

/** Short enough for a request to wait for this, and then for a connection. */
const PATIENCE_MS = 200;
/** The only error that says that there is no such name. */
const UNKNOWN = 'ENOTFOUND';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/**
 * Node has two threads for look-ups. One that gets no answer keeps its thread for many seconds, also after its socket is
 * destroyed. So each name is looked up once at a time, and has the addresses of the last time until there is an answer.
 */
class Name {
  private waiting: Answer[] = [];
  private addresses: LookupAddress[] | undefined;
  private isUnderWay = false;
  /** Of the look-up under way. */
  private isOverdue = false;
  /** As the log says. */
  private isUnresolved = false;

  constructor(private readonly name: string) {}

  resolve(answer: Answer): void {
    this.waiting.push(answer);
    if (!this.isUnderWay) this.ask();
    else if (this.isOverdue) setImmediate(() => this.answerAsLast());
  }

  private ask(): void {
    this.isUnderWay = true;
    const cancel = giveUpAfter(PATIENCE_MS, () => {
      this.isOverdue = true;
      this.useLast(`no answer within ${PATIENCE_MS} ms`);
    });
    // With the hint that Node gives.
    dns.lookup(this.name, { all: true, hints: dns.ADDRCONFIG }, (error, addresses) => {
      cancel();
      const { isOverdue } = this;
      this.isUnderWay = this.isOverdue = false;
      if (error && error.code !== UNKNOWN && this.addresses) this.useLast(error.code ?? error.message);
      else this.answered(error, error ? [] : addresses, isOverdue);
    });
  }

  private answered(
    error: NodeJS.ErrnoException | null,
    addresses: LookupAddress[],
    wasOverdue: boolean,
  ): void {
    this.addresses = error ? undefined : addresses;
    if (!wasOverdue && !error && this.isUnresolved) logger.warn(`${this.name} is resolved again`);
    if (!wasOverdue || error) this.isUnresolved = false;
    this.answerAll(error, addresses);
  }

  private useLast(why: string): void {
    if (!this.addresses) return;
    if (!this.isUnresolved) logger.warn(`${this.name} is not resolved (${why}); its last address is used`);
    this.isUnresolved = true;
    this.answerAsLast();
  }

  private answerAsLast(): void {
    if (this.addresses) this.answerAll(null, this.addresses);
  }

  private answerAll(error: NodeJS.ErrnoException | null, addresses: LookupAddress[]): void {
    const { waiting } = this;
    this.waiting = [];
    for (const answer of waiting) answer(error, addresses);
  }
}

const logger = new Logger('Names');
/** Those of the configuration. */
const names = new Map<string, Name>();

/** Instead of Node's own, for connections that are made again and again. */
export const lookup: LookupFunction = (name, { all }, answer) => {
  let known = names.get(name);
  if (!known) names.set(name, (known = new Name(name)));
  known.resolve((error, addresses) => {
    const [first] = addresses;
    if (all) answer(error, addresses);
    else answer(error, first?.address ?? '', first?.family);
  });
};
