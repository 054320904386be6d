import cluster from 'node:cluster';
import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** About a second of lines under load. */
const MAX_CHARACTERS = 1_048_576;
const RETRY_MS = 100;
const EXIT_TIMEOUT_MS = 500;
/** A pipe takes 4,096 bytes (PIPE_BUF) in one piece, and a character of a string has three at most. */
const WHOLE_CHARACTERS = 1_365;
const NOTHING = Buffer.alloc(0);

type Write = (data: string | Buffer) => number;

/**
 * Writes the log to standard output without blocking or failing. While the reader is slow or the disk is full, lines
 * are buffered up to a limit; further lines are dropped and counted.
 *
 * All lines of one turn of the event loop leave in one write, since a write costs more than a line. Fatal lines, and
 * lines at the exit of the process, are written at once.
 */
export class LogOutput {
  lostLines = 0;
  /** Called with the number of lost lines once writing works again. */
  onRecovery: (lostLines: number) => void = () => {};
  private buffered = '';
  /** The rest of a partial write. */
  private rest: Buffer = NOTHING;
  private scheduled = false;
  private exiting = false;
  private reportedLost = 0;
  private last = '';
  private fatal = '';

  constructor(
    private readonly writeOut: Write = toStandardOutput(),
    private readonly writeFatal: Write = (data) => writeTo(2, data),
    /** Other processes write to the same pipe, so a write must not end within a line. */
    private readonly isShared = cluster.isWorker,
  ) {
    process.on('exit', () => this.finish());
  }

  write(line: string): void {
    this.last = line;
    if (this.buffered.length + this.rest.length >= MAX_CHARACTERS) {
      this.lostLines++;
      return;
    }
    this.buffered += line;
    if (this.exiting) this.drain();
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
    const lost = this.lostLines - this.reportedLost;
    this.reportedLost = this.lostLines;
    if (lost > 0) this.onRecovery(lost);
  };

  /** Writes as much as possible. Returns true when nothing is left. */
  private drain(): boolean {
    try {
      for (;;) {
        if (this.rest.length > 0) this.rest = this.rest.subarray(this.writeOut(this.rest));
        if (this.rest.length > 0) return false;
        if (this.buffered === '') return true;
        const text = this.isShared ? this.firstLines() : this.buffered;
        const written = this.writeOut(text);
        this.buffered = this.buffered.slice(text.length);
        if (written < Buffer.byteLength(text)) {
          this.rest = Buffer.from(text).subarray(written);
          return false;
        }
      }
    } catch {
      return false;
    }
  }

  private firstLines(): string {
    const { buffered } = this;
    if (buffered.length <= WHOLE_CHARACTERS) return buffered;
    const end = buffered.lastIndexOf('\n', WHOLE_CHARACTERS - 1);
    return buffered.slice(0, (end < 0 ? buffered.indexOf('\n') : end) + 1);
  }

  /** Gives a slow reader a moment to catch up. A fatal line that cannot be written goes to standard error. */
  private finish(): void {
    this.exiting = true;
    const until = performance.now() + EXIT_TIMEOUT_MS;
    while (!this.drain()) {
      if (performance.now() > until) {
        this.reportFatal();
        return;
      }
      sleep(10);
    }
  }

  private reportFatal(): void {
    try {
      if (this.fatal !== '') this.writeFatal(this.fatal);
    } catch {
      // Standard error is unusable too.
    }
  }
}

/**
 * A blocking write to a pipe or terminal stalls the process while nobody reads. Opening the output again gives a
 * non-blocking descriptor without changing that of processes that share it. Where this fails, such as for a socket,
 * `process.stdout` makes the shared descriptor non-blocking. Files need none of this.
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
