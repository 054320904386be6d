import type { Execution, Row, Statement } from './statement.js';

/** Reads that wait, by what they ask: whoever asks the same before it is sent gets the same answer. */
export class SharedReads {
  private answers = new Map<string, { execution: Execution; answer: Promise<Row[]> }>();

  find(question: string | undefined): Promise<Row[]> | undefined {
    return question === undefined ? undefined : this.answers.get(question)?.answer;
  }

  add(execution: Execution, answer: Promise<Row[]>): void {
    if (execution.question !== undefined) this.answers.set(execution.question, { execution, answer });
  }

  /**
   * Forgets all but those of what still waits, by a new map rather than by emptying this one: what V8 replaces within a
   * map that shrinks and grows stays linked to its successor, and once one of them is old, whatever the next ones ever
   * held lives until the next great collection.
   */
  keep(waiting: readonly Execution[]): void {
    if (this.answers.size === 0) return;
    const kept: typeof this.answers = new Map();
    for (const execution of waiting) {
      const { question = '' } = execution;
      const shared = this.answers.get(question);
      if (shared?.execution === execution) kept.set(question, shared);
    }
    this.answers = kept;
  }
}

/**
 * The same for the same statement with the same values, and never the same for others. Values that nobody can tell apart
 * by their text, such as arrays, are not compared: who asks with them shares nothing.
 */
export function questionOf({ name }: Statement, values: readonly unknown[]): string | undefined {
  let question = name;
  for (const value of values) {
    const text = textOf(value);
    if (text === undefined) return undefined;
    question += `\n${typeof value} ${text.length} ${text}`;
  }
  return question;
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Buffer.isBuffer(value)) return `bytes ${value.toString('latin1')}`;
  return value instanceof Date ? `moment ${value.getTime()}` : undefined;
}
