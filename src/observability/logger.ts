import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from '../common/config/config.js';
import { describeError } from './describe-error.js';
import { LogOutput } from './log-output.js';

/** What every line of the log is made with, wherever it goes. */
export const LINES = { base: null, serializers: { err: describeError } } as const;

let output: LogOutput | undefined;

/** The number of log lines that could not be written. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** Creates the log of the process: JSON for machines, or short coloured lines for people. */
export function createLogger({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  output ??= new LogOutput();
  const logger = pino({ ...LINES, level: logLevel }, logFormat === 'pretty' ? prettyLines(output) : output);
  output.onRecovery = (lines) => logger.warn({ lines }, 'Log lines were lost: they could not be written.');
  return logger;
}

/** Loads the library only when it is needed, which keeps other starts quick. */
function prettyLines(destination: LogOutput): DestinationStream & { flushSync(): void } {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const pretty = prettyFactory({
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return {
    write: (line) => destination.write(pretty(line)),
    flushSync: () => destination.flushSync(),
  };
}

/** Parts of Nest whose start-up messages matter only for debugging. The bundler may prefix their names. */
const NEST = /^_?(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)\d*$/;

/** Writes what Nest and our modules log through Nest's `Logger`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    const level = NEST.test(context ?? '') ? 'debug' : 'info';
    this.logger[level]({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error(
      { err: message instanceof Error ? message : undefined, stack, context },
      String(message),
    );
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
