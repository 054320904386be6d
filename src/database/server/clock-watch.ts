import { Logger } from '@nestjs/common';

const EVERY_MS = 60_000;
const TOLERATED_MS = 30_000;

export const ASK_CLOCK = 'SELECT extract(epoch FROM clock_timestamp()) AS seconds';

export type ClockRows = readonly { seconds?: unknown }[];

/** How the clock of this machine differs from the database's, in words; `undefined` when it hardly does. */
export function clockDifference([row]: ClockRows, now: number): string | undefined {
  const ahead = now - Number(row?.seconds) * 1_000;
  if (!(Math.abs(ahead) > TOLERATED_MS)) return undefined;
  return `${spoken(Math.abs(ahead) / 1_000)} ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
}

function spoken(seconds: number): string {
  if (seconds < 7_200) return `${Math.round(seconds)} s`;
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

interface Queryable {
  query(text: string): Promise<{ rows: ClockRows }>;
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
      .query(ASK_CLOCK)
      .then(({ rows }) => this.report(clockDifference(rows, this.now())))
      .catch(() => {});
  }

  private report(difference: string | undefined): void {
    const differs = difference !== undefined;
    if (differs === this.differs) return;
    this.differs = differs;
    if (!differs) return this.logger.log('The clocks of this machine and the database agree again.');
    this.logger.error(
      `The clock of this machine is ${difference}: API keys expire too early or too late. ` +
        'Synchronise both, such as by NTP.',
    );
  }
}
