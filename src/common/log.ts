import { constants, fstatSync, openSync } from 'node:fs';
import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { Counter } from 'prom-client';
import type { Config } from './config.js';

const EXIT_MS = 500;

/** `MetricsServer` registers this counter, so that it is only in the metrics of the service. */
export const lostLogLines = new Counter({ name: 'log_lines_lost_total', help: 'Lost log lines.', registers: [] });

/** The options of pino for every log line. Tests use them with an output of their own. */
export const LINES = { base: null, timestamp: stdTimeFunctions.isoTime, serializers: { err: describeError } } as const;

/** The log of the process: JSON for machines, or short coloured lines for people. */
export function createLogger({ logLevel, logFormat, tracesEndpoint }: Config): Logger {
  const output = openOutput();
  const mixin = { mixin: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }) };
  const isPretty = logFormat ? logFormat === 'pretty' : process.stdout.isTTY;
  const format = isPretty ? prettyFactory({ translateTime: 'SYS:HH:MM:ss', singleLine: true }) : String;
  // If pino got the output itself, it would call `flushSync` after a fatal line, which can wait for ever: see `finish`.
  const write = (line: string): boolean => output.write(format(line));
  return pino({ ...LINES, level: logLevel, ...(tracesEndpoint && mixin) }, { write });
}

/** Opens standard output so that it neither blocks nor ends the service when nobody reads it or the disk is full. */
function openOutput(): ReturnType<typeof pino.destination> {
  const waiting = { minLength: 4_096, periodicFlush: 50, maxLength: 1_048_576 }; // one write for several lines is cheaper
  const output = pino.destination({ dest: openDescriptor(), sync: true, retryEAGAIN: () => false, ...waiting });
  // The output keeps lines that it cannot write for a later attempt, so errors are ignored. After a closed pipe, pino's
  // own listener would discard all lines without counting them.
  output.removeAllListeners('error').on('error', () => {});
  output.on('drop', () => lostLogLines.inc());
  process.on('exit', () => finish(output));
  return output;
}

/** Opens a pipe or terminal again, as non-blocking. A socket cannot be opened; `process.stdout` makes it non-blocking. */
function openDescriptor(): number {
  try {
    if (fstatSync(1).isFile()) return 1;
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    void process.stdout;
    return 1;
  }
}

/** Gives a slow reader a moment to take the last lines. `flushSync` would wait for ever for a reader or for disk space. */
function finish(output: ReturnType<typeof openOutput>): void {
  const deadline = performance.now() + EXIT_MS;
  let written = 1;
  output.on('write', (bytes: number) => (written = bytes));
  output.on('error', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)); // sleeps 10 ms
  while (written > 0 && performance.now() < deadline) output.flush(); // emits `write` at once, with 0 when nothing is left
}

/**
 * An error as it is logged. Messages of PostgreSQL may quote what a client has sent, and TypeORM adds the statement with
 * its values. So errors of the database are logged with their codes, and the names of tables and constraints, only.
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

/** Parts whose messages matter only for debugging. Relies on Nest: the names under which they log. */
const NEST = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Takes what Nest and our modules log through Nest's `Logger`. */
export function nestLogger(logger: Logger): LoggerService {
  const at = (level: Level) => (message: unknown, context?: string) => logger[level]({ context }, String(message));
  return {
    log: (message, context: string) => at(NEST.has(context) ? 'debug' : 'info')(message, context),
    debug: at('debug'),
    warn: at('warn'),
    error: (message, stack: string, context: string) => logger.error({ stack, context }, String(message)),
    fatal: at('fatal'),
  };
}
