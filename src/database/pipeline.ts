import { Socket } from 'node:net';
import pg from 'pg';
import type { EntityManager } from 'typeorm';
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

/** Nor did a read change anything whose connection was lost. One that was itself too slow would be so again. */
export const isUnread = (error: unknown): boolean =>
  isStale(error) || (meaningOf(error)?.kind === 'unknown' && (error as Error).message !== 'Query read timeout');

/** For a connection that may be a pooler's, which gives each transaction another session. */
const unnamed = ({ text, values }: Statement): Statement => ({ text, values, rowMode: 'array' });

/** Its connection is good for nothing any more. A worker that Citus has lost is an ERROR, which ends no connection. */
const isEnd = (error: unknown): boolean =>
  isStale(error) || (isUnread(error) && (error as { severity?: string }).severity !== 'ERROR');

/** One connection with many statements under way. Each is a transaction of its own, so no error touches a neighbour. */
export class Pipeline {
  underWay = 0;
  private opened: Promise<[pg.Client, Socket]> | undefined;

  constructor(private readonly config: Config) {}

  /** Sends a statement, and once more on a new connection if `mayRepeat` accepts its error. */
  async query(statement: Statement, mayRepeat = isStale): Promise<Rows> {
    const begun = performance.now();
    this.underWay++;
    try {
      return await this.send(statement);
    } catch (error) {
      if (!mayRepeat(error) || performance.now() - begun > REPEAT_WITHIN_MS) throw error;
      return await this.send(statement);
    } finally {
      this.underWay--;
    }
  }

  private async send(statement: Statement): Promise<Rows> {
    const opened = (this.opened ??= this.open());
    const [client, socket] = await opened;
    // One write for all statements of a turn of the event loop: it costs more than a statement.
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    try {
      return (await client.query(this.config.preparedStatements ? statement : unnamed(statement))).rows;
    } catch (error) {
      if (isEnd(error) && this.opened === opened) {
        this.opened = undefined;
        void client.end(); // after the answers to the others
      }
      throw error;
    }
  }

  private open(): Promise<[pg.Client, Socket]> {
    const socket = new Socket();
    const client = new pg.Client({ ...clientOptions(this.config), stream: () => socket });
    const opened = client.connect().then(
      (): [pg.Client, Socket] => [client, socket],
      (cause: unknown) => {
        throw new DatabaseUnavailable(false, { cause });
      },
    );
    const forget = (): void => {
      if (this.opened === opened) this.opened = undefined;
    };
    client.on('error', forget).on('end', forget);
    opened.catch(forget);
    return opened;
  }

  async close(): Promise<void> {
    await this.opened?.then(
      ([client]) => client.end(),
      () => {}, // it was never open
    );
  }
}

/** On the connection of a transaction. */
export async function runWithin({ queryRunner }: EntityManager, statement: Statement): Promise<Rows> {
  const client = (await queryRunner!.connect()) as pg.Client;
  return (await client.query(unnamed(statement))).rows;
}
