/** What the headers of a deprecated operation announce. */
export interface Deprecation {
  /** The method of the client, such as `getPet`. */
  readonly operation: string;
  readonly since: Date | undefined;
  /** When the operation ends. */
  readonly sunset: Date | undefined;
}

/** Reports each deprecated operation once. */
export class Deprecations {
  private readonly reported = new Set<string>();

  constructor(private readonly report: ((deprecation: Deprecation) => void) | undefined) {}

  notice(operation: string, headers: Headers): void {
    const [deprecated, sunset] = [headers.get('deprecation'), headers.get('sunset')];
    if (!this.report || (deprecated ?? sunset) === null || this.reported.has(operation)) return;
    this.reported.add(operation);
    const seconds = /^@(\d+)$/.exec(deprecated ?? '')?.[1];
    const deprecation = { operation, since: dateOf(Number(seconds) * 1000), sunset: dateOf(sunset ?? NaN) };
    // The call must not fail because the callback does.
    try {
      this.report(deprecation);
    } catch (error) {
      console.error(error); // oxlint-disable-line no-console -- else nobody would learn of it
    }
  }
}

function dateOf(value: string | number): Date | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
