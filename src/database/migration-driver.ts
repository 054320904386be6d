import type pg from 'pg';
import { destroyConnection } from './destroy-connection.js';
import { SLOW_STATEMENT_LIMITS } from './limits.js';
import { plainDriver, RowParsingClient } from './pg-driver.js';

/**
 * The answer to a statement may be lost while the connection stays, as behind a proxy whose server is gone. A start would
 * wait for it for ever and, if it has the lock, have all others wait. So the connection ends, and the start is tried again.
 */
export class MigrationClient extends RowParsingClient {
  /** Not for migrations themselves. */
  isLimited = true;
  private timer: NodeJS.Timeout | undefined;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const stop = (): void => clearTimeout(this.timer);
    this.on('drain', stop).on('end', stop);
  }

  override query(...args: unknown[]): never {
    const result = (super.query as (...args: unknown[]) => never)(...args);
    this.limit();
    return result;
  }

  override end(...args: unknown[]): never {
    this.limit();
    return (super.end as (...args: unknown[]) => never)(...args);
  }

  private limit(): void {
    clearTimeout(this.timer);
    if (this.isLimited)
      this.timer = setTimeout(() => destroyConnection(this), SLOW_STATEMENT_LIMITS.query_timeout);
  }
}

export const MIGRATION_DRIVER = plainDriver(MigrationClient);
