import { Logger } from '@nestjs/common';

const EVERY_MS = 60_000;
const TOLERATED_MS = 30_000;

interface Queryable {
  query(text: string): Promise<{ rows: { seconds?: unknown }[] }>;
}

/** Logs when the clocks of service and server differ: keys expire by the one, records of requests by the other. */
export class ClockWatch {
  private readonly logger = new Logger('Database');
  private askAt = -Infinity;
  private differs = false;

  constructor(private readonly now = (): number => Date.now()) {}

  /** At most once a minute. An error says nothing about the clock. */
  ask(client: Queryable): void {
    if (performance.now() < this.askAt) return;
    this.askAt = performance.now() + EVERY_MS;
    client
      .query('SELECT extract(epoch FROM clock_timestamp()) AS seconds')
      .then(({ rows: [row] }) => this.compare(Number(row?.seconds) * 1_000 - this.now()))
      .catch(() => {});
  }

  private compare(difference: number): void {
    const differs = Math.abs(difference) > TOLERATED_MS;
    if (differs === this.differs) return;
    this.differs = differs;
    if (!differs) return this.logger.log('The clocks of this machine and the database agree again.');
    this.logger.error(
      `The clock of this machine is ${Math.round(Math.abs(difference) / 1000)} s ${difference > 0 ? 'behind' : 'ahead of'} ` +
        "the database's: API keys expire too early or too late. Synchronise both, such as by NTP.",
    );
  }
}
