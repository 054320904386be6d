import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from './config.js';
import { LogOutput } from './log-output.js';

let output: LogOutput | undefined;

/** The number of log lines that could not be written. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** What every line is made with, wherever it goes. */
export const LINES = { base: null, serializers: { err: describeError } } as const;

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
