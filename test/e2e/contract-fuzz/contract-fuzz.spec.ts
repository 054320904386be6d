import { afterAll, beforeEach, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { curl } from './curl.js';
import { expectAccepted, expectRefused, expectUnchanged } from './expected.js';
import { faultsOf } from './faults.js';
import { allowedRequests } from './requests.js';
import { expectAlways, FUZZ, summary, TIMEOUT_MS } from './run.js';
import { expectSequence, sequences } from './sequences.js';
import { World } from './world.js';

// The tests are made from the document that the service publishes, so it has to run before they are known.
const world = await World.start();

describe(`The published document, with the seed ${FUZZ.seed}`, () => {
  afterAll(async () => {
    summary(world.requests);
    await world.stop();
  });

  describe.each(world.operations)('$id', (operation) => {
    const faults = faultsOf(operation);
    const requests = allowedRequests(operation);

    beforeEach(() => seed());

    it(
      'accepts whatever the document allows',
      async () => {
        const name = `${operation.id} accepts whatever the document allows`;
        await expectAlways(name, { share: 0.18, values: requests, show: curl }, (sent) =>
          expectAccepted(world, operation, sent),
        );
        await expectUnchanged(world);
      },
      TIMEOUT_MS,
    );

    it.each(faults)(
      'refuses $fault: $code',
      async ({ fault, code, requests }) => {
        const name = `${operation.id} refuses ${fault}: ${code}`;
        await expectAlways(name, { share: 0.01, values: requests, show: curl }, async (sent) => {
          await expectRefused(world, operation, sent, code);
          await expectUnchanged(world);
        });
      },
      TIMEOUT_MS,
    );
  });

  it(
    'holds what a simple model holds, after any sequence of requests',
    async () => {
      const name = 'holds what a simple model holds, after any sequence of requests';
      const show = (steps: { does: string }[]): string => steps.map(({ does }) => does).join('\n');
      await expectAlways(name, { share: 0.1, values: sequences(world), show }, (steps) =>
        expectSequence(world, steps),
      );
    },
    TIMEOUT_MS,
  );
});

/** Some animals to be found, always the same. */
async function seed(): Promise<void> {
  await world.empty();
  const operation = world.operation('createPet');
  for (const sent of fc.sample(allowedRequests(operation), { numRuns: 12, seed: 1 })) {
    await expectAccepted(world, operation, sent);
  }
}
