import { ApiError } from '../errors/api-error.js';
import type { Clock } from '../../common/clock.js';

export interface DeprecationTerms {
  readonly deprecatedOn: Date;
  /** From this instant on the operation answers 410. */
  readonly sunsetOn: Date;
  /** Answers as after the sunset, for clients to test against. */
  readonly rehearsal: boolean;
  /** The URL of the replacement, and one sentence of advice. */
  readonly successor: string;
  readonly advice: string;
  /** The URL of the page that explains the deprecation. */
  readonly explained: string;
}

/**
 * The single source of a deprecated operation's headers, sunset and documentation.
 * Each policy is an injectable subclass that supplies the terms.
 */
export abstract class DeprecationPolicy {
  constructor(
    private readonly clock: Clock,
    readonly terms: DeprecationTerms,
  ) {}

  /** Sent with every response of the operation (RFC 9745, RFC 8594, RFC 8288). */
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

  /** Markdown, appended to the operation's description in the document. */
  get description(): string {
    return `**Deprecated: this operation is to be removed on ${this.sunsetDay}.** ${this.terms.advice}`;
  }

  /** One line of plain text. */
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
