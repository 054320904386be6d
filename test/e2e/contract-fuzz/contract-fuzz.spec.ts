import { afterAll, beforeEach, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { exact, type Item } from './catalogue.js';
import { curl } from './curl.js';
import { expectAccepted, expectRefused, expectUnchanged } from './expected.js';
import { faultsOf } from './faults.js';
import { allowedRequests } from './requests.js';
import { collections, kindOf } from './resources.js';
import { expectAlways, FUZZ, summary, TIMEOUT_MS } from './run.js';
import { expectSequence, reached, sequences } from './sequences.js';
import { SEEDED } from './values.js';
import { World } from './world.js';

// The tests are generated from the published document, so the service has to run before Jest collects them.
const world = await World.start();

describe(`Contract fuzzing with seed ${FUZZ.seed}`, () => {
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
            await seed(); // shrinking tries smaller requests next, which need the same initial state
            throw error;
          }
        });
      },
      TIMEOUT_MS,
    );
  });

  it(
    'the service agrees with a simple model after any sequence of requests',
    async () => {
      const name = 'the service agrees with a simple model after any sequence of requests';
      await expectAlways(name, { share: 0.04, values: sequences(world), show: reached }, (steps) =>
        expectSequence(world, steps),
      );
    },
    TIMEOUT_MS,
  );
});

/** Adds the same few items to each collection, for requests to find. Items that others refer to come first. */
async function seed(): Promise<void> {
  try {
    await addSamples();
  } catch (error) {
    if (!fc.PreconditionFailure.isFailure(error)) throw error;
    await seed();
  }
}

async function addSamples(): Promise<void> {
  await world.empty();
  for (const path of collections(world.operations)) {
    const create = world.operations.find((one) => one.path === path && kindOf(one) === 'create');
    if (!create) continue;
    for (const sent of fc.sample(allowedRequests(create), { numRuns: SEEDED, seed: 1 })) {
      // The answer is stored unchecked: the properties verify creates.
      const { status, text } = await world.send(sent);
      if (status === create.success) world.catalogue(path).add(exact(text) as Item);
    }
    await world.refreshRelated(create);
  }
}
