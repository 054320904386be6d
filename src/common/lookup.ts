import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Logger } from '@nestjs/common';

/** Short enough for a request to wait, and then for a connection. */
const PATIENCE_MS = 200;
/** No name server can be reached, unlike one that says that there is no such name. */
const NO_ANSWER = 'EAI_AGAIN';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/**
 * Node has two threads for look-ups. One that gets no answer keeps its thread for many seconds, also after its socket is
 * destroyed. So each name is looked up once at a time, and has the addresses of the last time until there is an answer.
 */
class Name {
  private waiting: Answer[] = [];
  private addresses: LookupAddress[] | undefined;
  private isUnderWay = false;
  /** Whether the log says that the name is not resolved. */
  private isUnresolved = false;

  constructor(private readonly name: string) {}

  resolve(answer: Answer): void {
    this.waiting.push(answer);
    if (!this.isUnderWay) this.ask();
    else if (this.isUnresolved) setImmediate(() => this.answerAsLast('no answer'));
  }

  private ask(): void {
    this.isUnderWay = true;
    const patience = setTimeout(() => this.answerAsLast('no answer'), this.isUnresolved ? 0 : PATIENCE_MS);
    dns.lookup(this.name, { all: true }, (error, addresses = []) => {
      clearTimeout(patience);
      this.isUnderWay = false;
      if (error?.code === NO_ANSWER && this.addresses) this.answerAsLast(NO_ANSWER);
      else this.answered(error, addresses);
    });
  }

  private answered(error: NodeJS.ErrnoException | null, addresses: LookupAddress[]): void {
    if (!error) {
      this.addresses = addresses;
      if (this.isUnresolved) logger.warn(`${this.name} is resolved again`);
    }
    this.isUnresolved = false;
    this.answerAll(error, addresses);
  }

  private answerAsLast(why: string): void {
    if (!this.addresses || this.waiting.length === 0) return;
    if (!this.isUnresolved) logger.warn(`${this.name} is not resolved (${why}); its last address is used`);
    this.isUnresolved = true;
    this.answerAll(null, this.addresses);
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
