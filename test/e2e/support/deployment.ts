import { describe } from '@jest/globals';

export interface Deployment {
  readonly origin: string;
  readonly key: string;
}

/** The running deployment to test (BASE_URL and API_KEY); undefined when the tests start their own service. */
export const deployment = readDeployment();

/** Tests that need their own process, database or catalogue; skipped against a running deployment. */
export const describeInside = deployment ? describe.skip : describe;

/** Thrown when a test needs more than HTTP against a running deployment; the test environment then marks it as skipped. */
export class NeedsTheInside extends Error {
  override readonly name = 'NeedsTheInside';
}

export function requireInside(need: string): void {
  if (deployment) throw new NeedsTheInside(`needs ${need}`);
}

function readDeployment(): Deployment | undefined {
  const { BASE_URL: address, API_KEY: key } = process.env;
  if (!address || !key) return undefined; // scripts/test.mjs refuses one without the other
  return { origin: new URL(address).origin, key };
}
