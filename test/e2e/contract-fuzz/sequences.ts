import fc from 'fast-check';
import { curl } from './curl.js';
import { expectAccepted, expectRefused, expectUnchanged, expectWalk } from './expected.js';
import { faultsOf } from './faults.js';
import { allowedRequests } from './requests.js';
import { isPredictable, kindOf } from './resources.js';
import type { World } from './world.js';

/** One action of a client. */
export interface Step {
  readonly does: string;
  run(world: World): Promise<void>;
}

/** Sequences of valid requests, invalid requests and walks over all pages, starting from empty collections. */
export function sequences({ operations }: Pick<World, 'operations'>): fc.Arbitrary<Step[]> {
  const accepted = operations.map((operation) => ({
    weight: operation.body ? 5 : 2,
    arbitrary: allowedRequests(operation).map((sent) => ({
      does: curl(sent),
      run: (world: World) => expectAccepted(world, operation, sent),
    })),
  }));
  const refused = operations.flatMap(faultsOf).map(({ operation, requests, code }) =>
    requests.map((sent) => ({
      does: curl(sent),
      run: (world: World) => expectRefused(world, operation, sent, code),
    })),
  );
  const walks = operations
    .filter((operation) => kindOf(operation) === 'list' && isPredictable(operation))
    .map((operation) => ({
      weight: 2,
      arbitrary: allowedRequests(operation).map((sent) => ({
        does: `${curl(sent)} # then follow the next links`,
        run: (world: World) => expectWalk(world, operation, sent),
      })),
    }));
  const step: fc.Arbitrary<Step> = fc.oneof(...accepted, ...walks, {
    weight: 2,
    arbitrary: fc.oneof(...refused),
  });
  return fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
}

const begun = new WeakSet<Step>();

/** The steps of a sequence, up to the one that failed. */
export function reached(steps: readonly Step[]): string {
  return steps
    .filter((step) => begun.has(step))
    .map(({ does }) => does)
    .join('\n');
}

export async function expectSequence(world: World, steps: readonly Step[]): Promise<void> {
  await world.empty();
  for (const step of steps) {
    begun.add(step);
    await step.run(world);
  }
  await expectUnchanged(world);
}
