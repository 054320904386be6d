import { ApiError } from '../errors/api-error.js';
import type { Clock } from '../../common/clock.js';

export interface DeprecationTerms {
  /** Since when the operation is deprecated, and the instant from which it is gone. */
  readonly deprecatedOn: Date;
  readonly sunsetOn: Date;
  /** Answer as if the sunset had come. */
  readonly rehearsal: boolean;
  /** The address of what to use instead, and a sentence that says how. */
  readonly successor: string;
  readonly advice: string;
  /** The page that explains the deprecation. */
  readonly explained: string;
}

/**
 * The one source of all that is said of a deprecated operation: its headers, its end, its documentation.
 * An operation's policy is an injectable subclass that gives the terms.
 */
export abstract class DeprecationPolicy {
  constructor(
    private readonly clock: Clock,
    readonly terms: DeprecationTerms,
  ) {}

  /** Sent with every answer of the operation (RFC 9745, RFC 8594, RFC 8288). */
  get headers(): Record<'deprecation' | 'sunset' | 'link', string> {
    const { deprecatedOn, sunsetOn, successor, explained } = this.terms;
    return {
      deprecation: `@${deprecatedOn.getTime() / 1000}`,
      sunset: sunsetOn.toUTCString(),
      link: `<${successor}>; rel="successor-version", <${explained}>; rel="deprecation"; type="text/html"`,
    };
  }

  isOver(): boolean {
    return this.terms.rehearsal || this.clock.now().getTime() >= this.terms.sunsetOn.getTime();
  }

  gone(): ApiError {
    return new ApiError('gone', `This operation was removed on ${this.sunsetDay}. ${this.terms.advice}`);
  }

  /** What the document says of the operation, beside its own description. */
  get description(): string {
    return `**Deprecated: this operation is to be removed on ${this.sunsetDay}.** ${this.terms.advice}`;
  }

  /** The same as plain text, for where there is room for a line only. */
  get notice(): string {
    return `To be removed on ${this.sunsetDay}. ${this.terms.advice.replaceAll('`', '')}`;
  }

  get sunsetDay(): string {
    return this.terms.sunsetOn.toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    });
  }
}
