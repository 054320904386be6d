import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Enough for a pause of a second under load. */
const MOST_CHARACTERS = 1_048_576;
const RETRY_MS = 100;
const PATIENCE_AT_END_MS = 500;
const NOTHING = Buffer.alloc(0);

type Write = (data: string | Buffer) => number;

/**
 * Standard output for the log. It neither blocks nor fails: what cannot be written, because nobody reads or the disk is
 * full, waits up to a limit, and lines beyond it are lost and counted.
 *
 * The lines of one turn of the event loop leave in one write, as a write costs more than a line. Nothing waits longer
 * than the turn; a fatal line, and the end of the process, do not wait at all.
 */
export class LogOutput {
  lostLines = 0;
  /** Called with the number of lines that were lost, once writing works again. */
  onRecovery: (lostLines: number) => void = () => {};
  private waiting = '';
  /** What is left of a string of which only a part was written. */
  private rest: Buffer = NOTHING;
  private scheduled = false;
  private ending = false;
  private toldLost = 0;
  private last = '';
  private fatal = '';

  constructor(
    private readonly writeOut: Write = toStandardOutput(),
    private readonly writeFatal: Write = (data) => writeTo(2, data),
  ) {
    process.on('exit', () => this.end());
  }

  write(line: string): void {
    this.last = line;
    if (this.waiting.length >= MOST_CHARACTERS) {
      this.lostLines++;
      return;
    }
    this.waiting += line;
    if (this.ending) this.drain();
    else if (!this.scheduled) {
      this.scheduled = true;
      setImmediate(this.flush);
    }
  }

  /** pino calls this after a fatal line. */
  flushSync(): void {
    this.fatal = this.drain() ? '' : this.last;
  }

  private readonly flush = (): void => {
    if (!this.drain()) {
      setTimeout(this.flush, RETRY_MS).unref();
      return;
    }
    this.scheduled = false;
    if (this.lostLines === this.toldLost) return;
    const lost = this.lostLines - this.toldLost;
    this.toldLost = this.lostLines;
    this.onRecovery(lost);
  };

  /** Writes as much as possible; true when nothing is left. */
  private drain(): boolean {
    try {
      if (this.rest.length > 0) this.rest = this.rest.subarray(this.writeOut(this.rest));
      if (this.rest.length > 0) return false;
      if (this.waiting === '') return true;
      const text = this.waiting;
      const written = this.writeOut(text);
      this.waiting = '';
      if (written < Buffer.byteLength(text)) this.rest = Buffer.from(text).subarray(written);
      return this.rest.length === 0;
    } catch {
      return false;
    }
  }

  /** A slow reader gets a moment to catch up. Standard error gets the reason of a crash that nobody else will. */
  private end(): void {
    this.ending = true;
    const until = performance.now() + PATIENCE_AT_END_MS;
    while (!this.drain()) {
      if (performance.now() > until) {
        if (this.fatal !== '') this.tellFatal();
        return;
      }
      sleep(10);
    }
  }

  private tellFatal(): void {
    try {
      this.writeFatal(this.fatal);
    } catch {
      // Nothing is left that could be told.
    }
  }
}

/**
 * A write to a pipe or a terminal blocks while nobody reads, unless the descriptor is non-blocking. Opening it anew
 * leaves that of the processes that share it as it is; where the system does not allow it, `process.stdout` makes a pipe
 * or socket non-blocking. Writes to a file do not wait for a reader.
 */
function toStandardOutput(): Write {
  let descriptor: number | undefined;
  return (data) => {
    descriptor ??= fstatSync(1).isFile() ? 1 : openNonBlocking();
    return writeTo(descriptor, data);
  };
}

function writeTo(descriptor: number, data: string | Buffer): number {
  return typeof data === 'string' ? writeSync(descriptor, data) : writeSync(descriptor, data);
}

function openNonBlocking(): number {
  try {
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    void process.stdout;
    return 1;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
