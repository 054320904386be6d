import { Socket } from 'node:net';
import pg from 'pg';
import { type ObjectLiteral, QueryFailedError } from 'typeorm';
import type { Config } from '../common/config.js';
import { clientOptions } from './data-source-options.js';
import { DatabaseUnavailable, isStale, meaningOf } from './errors.js';

type Connection = readonly [client: pg.Client, socket: Socket];

/** Only errors that come this early lead to a second attempt, so that both together do not take too long. */
const REPEAT_WITHIN_MS = 300;

/** A read whose connection was lost has changed nothing, so it can be repeated like one that the server did not run. */
export const mayRepeatRead = (error: unknown): boolean => isStale(error) || meaningOf(error) === 'unknown';

/** A connection with many statements under way. Each is a transaction of its own, so its error does not affect others. */
export class Pipeline {
  underWay = 0;
  private opened: Promise<Connection> | undefined;
  /** The names of prepared statements, by their texts. */
  private readonly names = new Map<string, string>();

  /** @param mayRepeat accepts the errors after which a statement is sent once more */
  constructor(
    private readonly config: Config,
    private readonly mayRepeat = isStale,
  ) {}

  async query(text: string, values: unknown[]): Promise<ObjectLiteral[]> {
    const begun = performance.now();
    this.underWay++;
    try {
      return await this.send(text, values);
    } catch (error) {
      if (!this.mayRepeat(error) || performance.now() - begun > REPEAT_WITHIN_MS) throw error;
      return await this.send(text, values);
    } finally {
      this.underWay--;
    }
  }

  private async send(text: string, values: unknown[]): Promise<ObjectLiteral[]> {
    const opened = (this.opened ??= this.open());
    const [client, socket] = await opened;
    // A system call costs more than a statement, so all statements of one turn of the event loop share one.
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(() => socket.uncork());
    }
    try {
      return (await client.query<ObjectLiteral>({ name: this.nameOf(text), text }, values)).rows;
    } catch (cause) {
      const error = new QueryFailedError(text, undefined, cause as Error); // as TypeORM throws it
      const isUseless = isStale(error) || (cause as pg.DatabaseError).severity === 'FATAL';
      if (isUseless && this.opened === opened) {
        this.opened = undefined;
        void client.end(); // pg first waits for the answers to the other statements
      }
      throw error;
    }
  }

  private nameOf(text: string): string | undefined {
    if (!this.config.preparedStatements) return undefined;
    const name = this.names.get(text) ?? `statement_${this.names.size}`;
    this.names.set(text, name);
    return name;
  }

  private open(): Promise<Connection> {
    const socket = new Socket();
    const client = new pg.Client({ ...clientOptions(this.config), stream: () => socket });
    const opened = client.connect().then(
      (): Connection => [client, socket],
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
