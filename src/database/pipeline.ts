import { Socket } from 'node:net';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { Config } from '../common/config.js';
import { clientOptions } from './data-source-options.js';
import { DatabaseUnavailable, meaningOf } from './errors.js';

export type Statement = pg.QueryArrayConfig;
export type Rows = unknown[][];

/** Bounds the time of two attempts. */
const REPEAT_WITHIN_MS = 300;

/** The server did not run it: a plan from before DDL, a statement that this session does not know, a former primary. */
export const isStale = (error: unknown): boolean =>
  /^(?:0A000|26000|42P05|25006)$/.test((error as { code?: string }).code ?? '');

/** Nor did a read change anything whose connection was lost. If it was itself too slow, it would be again. */
export const isUnread = (error: unknown): boolean =>
  isStale(error) ||
  (meaningOf(error)?.kind === 'unknown' && (error as Error).message !== 'Query read timeout');

/** Sends single statements, and those that `mayRepeat` accepts once more, on another connection. */
export abstract class Channel {
  underWay = 0;

  async query(statement: Statement, mayRepeat = isStale): Promise<Rows> {
    const begun = performance.now();
    this.underWay++;
    try {
      return await this.send(statement).catch((error: unknown) => {
        if (!mayRepeat(error) || performance.now() - begun > REPEAT_WITHIN_MS) throw error;
        return this.send(statement);
      });
    } finally {
      this.underWay--;
    }
  }

  protected abstract send(statement: Statement): Promise<Rows>;
  abstract close(): Promise<void>;
}

/** One connection, with many statements under way. Each is a transaction of its own, so no error touches a neighbour. */
class Pipeline extends Channel {
  private readonly config: pg.ClientConfig;
  private opened: Promise<[pg.Client, Socket]> | undefined;

  constructor(config: Config) {
    super();
    this.config = { ...clientOptions(config), pipeline: true } as pg.ClientConfig;
  }

  protected async send(statement: Statement): Promise<Rows> {
    const opened = (this.opened ??= this.open());
    const [client, socket] = await opened.catch((cause: unknown) => {
      throw new DatabaseUnavailable(false, { cause });
    });
    // One write to the socket for all statements of a turn of the event loop: it costs more than a statement.
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    try {
      return (await client.query(statement)).rows;
    } catch (error) {
      if (isUnread(error) && this.opened === opened) {
        this.opened = undefined;
        void client.end(); // after the answers to the others
      }
      throw error;
    }
  }

  private open(): Promise<[pg.Client, Socket]> {
    const socket = new Socket();
    const client = new pg.Client({ ...this.config, stream: () => socket });
    const opened = client.connect().then((): [pg.Client, Socket] => [client, socket]);
    const forget = (): void => {
      if (this.opened === opened) this.opened = undefined;
    };
    client.on('error', forget).on('end', forget);
    opened.catch(forget);
    return opened;
  }

  async close(): Promise<void> {
    const opened = await this.opened?.catch(() => undefined);
    await opened?.[0].end();
  }
}

/** TypeORM's pool, behind a pooler that gives each transaction another session. */
class Pooled extends Channel {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  protected async send({ text, values, rowMode }: Statement): Promise<Rows> {
    const pool = (this.dataSource.driver as unknown as { master: pg.Pool }).master;
    return (await pool.query({ text, values: values as unknown[], rowMode })).rows;
  }

  async close(): Promise<void> {}
}

export function openChannels(count: number, config: Config, dataSource: DataSource): Channel[] {
  return Array.from({ length: count }, () =>
    config.preparedStatements ? new Pipeline(config) : new Pooled(dataSource),
  );
}
