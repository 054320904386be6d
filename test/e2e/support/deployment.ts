import { describe } from '@jest/globals';

export interface Deployment {
  readonly origin: string;
  readonly key: string;
}

/** A deployment that runs already and that the tests are pointed at, with a key for it; undefined: they start their own. */
export const deployment = readDeployment();

/** Tests that have no business with a deployment: they need processes, databases or a catalogue of their own. */
export const describeInside = deployment ? describe.skip : describe;

/** Thrown where a test reaches for what a front door does not offer. The environment then counts it as skipped. */
export class NeedsTheInside extends Error {
  override readonly name = 'NeedsTheInside';
}

export function requireInside(need: string): void {
  if (deployment) throw new NeedsTheInside(`needs ${need}`);
}

function readDeployment(): Deployment | undefined {
  const { BASE_URL: address, API_KEY: key } = process.env;
  if (!address || !key) return undefined; // scripts/test.mjs has refused one without the other
  return { origin: new URL(address).origin, key };
}
