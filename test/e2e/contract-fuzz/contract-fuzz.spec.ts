import { afterAll, beforeEach, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { type Animal, exact } from './catalogue.js';
import { curl } from './curl.js';
import { expectAccepted, expectRefused, expectUnchanged } from './expected.js';
import { faultsOf } from './faults.js';
import { allowedRequests } from './requests.js';
import { expectAlways, FUZZ, summary, TIMEOUT_MS } from './run.js';
import { expectSequence, reached, sequences } from './sequences.js';
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
        await expectAlways(name, { share: 0.14, values: requests, show: curl }, (sent) =>
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
        await expectAlways(name, { share: 0.015, values: requests, show: curl }, async (sent) => {
          try {
            await expectRefused(world, operation, sent, code);
            await expectUnchanged(world);
          } catch (error) {
            await seed(); // what was stored must not count against the smaller requests that are tried next
            throw error;
          }
        });
      },
      TIMEOUT_MS,
    );
  });

  it(
    'holds what a simple model holds, after any sequence of requests',
    async () => {
      const name = 'holds what a simple model holds, after any sequence of requests';
      await expectAlways(name, { share: 0.04, values: sequences(world), show: reached }, (steps) =>
        expectSequence(world, steps),
      );
    },
    TIMEOUT_MS,
  );
});

/** Some animals to be found, always the same. */
async function seed(): Promise<void> {
  await world.empty();
  const requests = allowedRequests(world.operation('createPet'));
  for (const sent of fc.sample(requests, { numRuns: 12, seed: 1 })) {
    // Taken as it comes: whether it is what was sent is for a property to say.
    const { text } = await world.send(sent);
    world.catalogue.add(exact(text) as Animal);
  }
}
