import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from './config.js';

let output: LogOutput | undefined;

/** The number of log lines that could not be written. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** What every line is made with, wherever it goes. */
export const LINES = { base: null, timestamp: stdTimeFunctions.isoTime, serializers: { err: describeError } } as const;

/** The log of the process: JSON for machines, or short coloured lines for people. */
export function createLogger({ logLevel, logFormat, tracesEndpoint }: Config): Logger {
  output ??= new LogOutput();
  const mixin = { mixin: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }) };
  const destination = logFormat === 'pretty' ? prettyLines(output) : output;
  return pino({ ...LINES, level: logLevel, ...(tracesEndpoint && mixin) }, destination);
}

/** Loads the library only when it is needed, which keeps other starts quick. */
function prettyLines(destination: LogOutput): DestinationStream & { flushSync(): void } {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const pretty = prettyFactory({ translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { write: (line) => destination.write(pretty(line)), flushSync: () => destination.flushSync() };
}

/**
 * An error as it is logged. What a database says may quote what a client sent, and TypeORM adds the statement and its
 * values, so of those errors only the names of things are kept.
 */
function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause, code } = thrown as NodeJS.ErrnoException;
  if ('severity' in thrown) {
    const { schema, table, column, constraint, routine } = thrown as Error & Record<string, unknown>;
    return { name: 'DatabaseError', code, schema, table, column, constraint, routine };
  }
  if ('driverError' in thrown) {
    const at = stack?.split('\n').filter((line) => /^ {4}at /.test(line));
    return { name, at, cause: describeError(thrown.driverError) };
  }
  return { name, message, stack, code, ...(cause !== undefined && { cause: describeError(cause) }) };
}

/** Parts of Nest whose messages matter only for debugging. */
const NEST = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Takes what Nest and our modules log through Nest's `Logger`. */
export function nestLogger(logger: Logger): LoggerService {
  const at = (level: Level) => (message: unknown, context?: string) => logger[level]({ context }, String(message));
  return {
    log: (message, context: string) => at(NEST.has(context) ? 'debug' : 'info')(message, context),
    debug: at('debug'),
    warn: at('warn'),
    error: (message: unknown, stack?: string, context?: string) =>
      logger.error({ err: message instanceof Error ? message : undefined, stack, context }, String(message)),
    fatal: at('fatal'),
  };
}

/** Lines are written together, since a write costs more than a line. */
const TOGETHER_MS = 10;
/** While nobody reads the log, or the disk is full: what else comes is lost. */
const MOST_WAITING = 1_048_576;
const EXIT_MS = 500;

/** Standard output, which neither blocks nor ends the service. Streams of Node.js or pino would, at the latest on exit. */
class LogOutput {
  lostLines = 0;
  private readonly waiting = Buffer.alloc(MOST_WAITING);
  private length = 0;
  /** The last write was refused: only the timer tries again. */
  private isStuck = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly descriptor = openOutput();

  constructor() {
    process.on('exit', () => this.finish());
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes > MOST_WAITING - this.length && !this.isStuck) this.flushSync();
    if (bytes > MOST_WAITING - this.length) this.lostLines++;
    else this.length += this.waiting.write(line, this.length);
    this.flushSoon();
  }

  /** Writes what can be written now. pino calls it after a fatal line. */
  flushSync(): void {
    this.isStuck = true;
    try {
      while (this.length > 0) {
        const written = writeSync(this.descriptor, this.waiting, 0, this.length);
        this.waiting.copyWithin(0, written, this.length);
        this.length -= written;
      }
      this.isStuck = false;
    } catch {
      this.flushSoon();
    }
  }

  private flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.flushSync();
    }, TOGETHER_MS).unref();
  }

  /** A slow reader gets a moment. */
  private finish(): void {
    const deadline = performance.now() + EXIT_MS;
    for (this.flushSync(); this.length > 0 && performance.now() < deadline; this.flushSync())
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
