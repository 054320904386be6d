import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addToApp, CratesModule } from '../support/every-rule.js';
import { curl } from './curl.js';
import { expectRefused } from './expected.js';
import { faultsOf } from './faults.js';
import { allowedRequests } from './requests.js';
import { expectAlways, FUZZ, TIMEOUT_MS } from './run.js';
import { World } from './world.js';

addToApp(CratesModule);
const world = await World.start();
const crates = world.operations.filter(({ path }) => path === '/v1/crates');

/** A feature that uses every rule: the document allows what the reader takes, and nothing else. */
describe(`Contract fuzzing of every rule with seed ${FUZZ.seed}`, () => {
  beforeEach(() => {
    world.service.log.length = 0;
  });
  afterAll(() => world.stop());

  it('covers three operations', () => expect(crates).toHaveLength(3));

  describe.each(crates)('$id', (operation) => {
    it(
      'takes whatever the document allows',
      async () => {
        const name = `${operation.id} takes whatever the document allows`;
        const values = allowedRequests(operation);
        await expectAlways(name, { share: 0.1, values, show: curl }, async (sent) => {
          const { status, text } = await world.send(sent);
          expect({ status, text: status === operation.success ? '' : text }).toEqual({
            status: operation.success,
            text: '',
          });
        });
      },
      TIMEOUT_MS,
    );

    it.each(faultsOf(operation))(
      'refuses $fault: $code',
      async ({ fault, code, requests }) => {
        const name = `${operation.id} refuses ${fault}: ${code}`;
        await expectAlways(name, { share: 0.01, values: requests, show: curl }, (sent) =>
          expectRefused(world, operation, sent, code),
        );
      },
      TIMEOUT_MS,
    );
  });
});
