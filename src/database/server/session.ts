import type { DataSource } from 'typeorm';

/**
 * Settings on which answers depend, or the health of the server. PostgreSQL applies a change for the role or the database
 * to new connections only, so without them, connections would differ by when they were opened.
 */
const SETTINGS = {
  array_nulls: 'on',
  bytea_output: 'hex',
  client_min_messages: 'warning', // one tells that a commit was not replicated
  default_transaction_isolation: 'read committed',
  extra_float_digits: '1',
  IntervalStyle: 'postgres',
  row_security: 'off', // a policy makes statements fail, instead of hiding rows
  synchronous_commit: 'on', // an acknowledged change is durable, and included in what standbys must have
  // Sessions whose client is gone without a word, as with a lost machine, would stay for two hours, and fill the server.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
};

/** The settings of every connection, except behind poolers, which reject them at start-up. `options` in the URL override them. */
export class Session {
  private settings: Readonly<Record<string, string>> = SETTINGS;

  /** From now on, connections find the same tables. */
  async pinSearchPath(dataSource: DataSource): Promise<void> {
    const [{ path }] = await dataSource.query<[{ path: string }]>(
      "SELECT current_setting('search_path') AS path",
    );
    this.settings = { ...this.settings, search_path: path };
  }

  /** In the form of the server's command line. */
  get options(): string {
    return Object.entries(this.settings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
      .join(' ');
  }
}
