import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from './config.js';
import { LogOutput } from './log-output.js';

type LogConfig = Pick<Config, 'logLevel' | 'logFormat' | 'tracesEndpoint'>;

let output: LogOutput | undefined;

/** The number of log lines that could not be written. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** What every line is made with, wherever it goes. */
export const LINES = { base: null, serializers: { err: describeError } } as const;

/** The log of the process: JSON for machines, or short coloured lines for people. */
export function createLogger({ logLevel, logFormat, tracesEndpoint }: LogConfig): Logger {
  output ??= new LogOutput();
  const mixin = { mixin: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }) };
  return pino(
    { ...LINES, level: logLevel, ...(tracesEndpoint && mixin) },
    logFormat === 'pretty' ? prettyLines(output) : output,
  );
}

/** Loads the library only when it is needed, which keeps other starts quick. */
function prettyLines(destination: LogOutput): DestinationStream & { flushSync(): void } {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const pretty = prettyFactory({ translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { write: (line) => destination.write(pretty(line)), flushSync: () => destination.flushSync() };
}

type Description = Readonly<Record<string, unknown>>;

/**
 * An error as it is logged. What a database says may quote what a client sent, and TypeORM adds the statement and its
 * values, so of those errors only the names of things are kept.
 */
function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause, code } = thrown as NodeJS.ErrnoException;
  const { severity, driverError } = thrown as { severity?: unknown; driverError?: unknown };
  if (severity !== undefined) return describeDatabaseError(thrown as never);
  const at = stack?.split('\n').filter((line) => /^ {4}at /.test(line));
  if (driverError !== undefined) return { name, at, cause: describeError(driverError) };
  return { name, message, stack, code, ...(cause !== undefined && { cause: describeError(cause) }) };
}

function describeDatabaseError({ code, schema, table, column, constraint, routine }: Description): Description {
  return { name: 'DatabaseError', code, schema, table, column, constraint, routine };
}

/** Parts of Nest whose messages matter only for debugging. */
const NEST = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Writes what Nest and our modules log through Nest's `Logger`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context = ''): void {
    this.logger[NEST.has(context) ? 'debug' : 'info']({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    const err = message instanceof Error ? message : undefined;
    this.logger.error({ err, stack, context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
