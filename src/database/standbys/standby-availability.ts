import { Availability } from '../availability.js';

/** Whether reads can go to a standby. */
export class StandbyAvailability extends Availability {
  constructor(private readonly name: string) {
    super();
  }

  override markAvailable(): void {
    if (!this.isAvailable && !this.isAway) this.logger.log(`Reads go to the standby ${this.name}.`);
    super.markAvailable();
  }

  /** It is left out at the next look, and the primary answers. */
  override recordFailedConnection(): void {}

  protected override logAway(reason: string): void {
    this.logger.warn(`The standby ${this.name} is left out: ${reason}`);
  }

  protected override logStillAway(reason: string): void {
    this.logger.warn(`The standby ${this.name} is still left out: ${reason}`);
  }

  protected override logBack(seconds: string): void {
    this.logger.log(`Reads go to the standby ${this.name} again, after ${seconds} s.`);
  }
}
