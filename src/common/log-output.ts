import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Lines are written together, since a write costs more than a line: when so many wait, or after so long. */
const TOGETHER = 8_192;
const TOGETHER_MS = 50;
/** While nobody reads the log, or the disk is full: what else comes is lost. */
const MOST_WAITING = 1_048_576;
const EXIT_MS = 500;

/** Standard output, which neither blocks nor ends the service. Streams of Node.js or pino would, at the latest on exit. */
export class LogOutput {
  lostLines = 0;
  private text = '';
  /** What a write has left. */
  private rest = Buffer.alloc(0);
  private timer: NodeJS.Timeout | undefined;
  private readonly descriptor = openOutput();

  constructor() {
    process.on('exit', () => this.finish());
  }

  write(line: string): void {
    if (this.text.length + this.rest.length > MOST_WAITING) this.lostLines++;
    else this.text += line;
    if (this.text.length > TOGETHER && this.rest.length === 0) this.flushSync();
    else this.timer ??= setTimeout(() => this.flushSync(), TOGETHER_MS).unref();
  }

  /** Writes what can be written. pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      while (this.rest.length > 0 || this.text !== '') {
        if (this.rest.length === 0) [this.rest, this.text] = [Buffer.from(this.text), ''];
        this.rest = this.rest.subarray(writeSync(this.descriptor, this.rest));
      }
    } catch {
      this.timer = setTimeout(() => this.flushSync(), TOGETHER_MS).unref();
    }
  }

  /** A slow reader gets a moment. */
  private finish(): void {
    const deadline = performance.now() + EXIT_MS;
    for (this.flushSync(); this.rest.length > 0 && performance.now() < deadline; this.flushSync())
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

/** A pipe or terminal is opened anew, which alone makes writing not block. Where that fails, as for a socket, Node.js does it. */
function openOutput(): number {
  try {
    if (fstatSync(1).isFile()) return 1;
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    void process.stdout;
    return 1;
  }
}
