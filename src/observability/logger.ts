import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { destination, type DestinationStream, type Logger, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import type { Config } from '../common/config/config.js';

/** Loaded when it is wanted, which is not where starts have to be quick. */
function prettyStream(options: PinoPretty.PrettyOptions): PinoPretty.PrettyStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  return pretty(options);
}

/** The one log of the process: JSON lines for machines, or short coloured ones for people. */
export function createLogger({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const stream =
    logFormat === 'pretty'
      ? prettyStream({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', singleLine: true })
      : together(destination({ dest: 1, sync: true }));
  return pino({ level: logLevel, base: null }, stream);
}

/**
 * The lines of one turn of the event loop leave in one write: what the database answers together makes as many lines at
 * once. Nothing waits longer than the turn, and what is fatal, or the end of the process, does not wait at all.
 */
export function together(stream: DestinationStream): DestinationStream & { flushSync(): void } {
  let lines = '';
  let ending = false;
  const flushSync = (): void => {
    if (lines === '') return;
    const text = lines;
    lines = '';
    stream.write(text);
  };
  process.on('exit', () => {
    ending = true;
    flushSync();
  });
  return {
    write(line) {
      if (lines === '' && !ending) setImmediate(flushSync);
      lines += line;
      if (ending) flushSync();
    },
    flushSync, // which pino calls behind a line that is fatal
  };
}

/** Lets Nest write into the same log. Its start-up chatter is only of interest when debugging. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
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
