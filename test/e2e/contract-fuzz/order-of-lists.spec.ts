import { afterAll, describe, expect, it } from '@jest/globals';
import { addToApp } from '../support/every-rule.js';
import { ReadingsModule } from '../support/readings.js';
import { ShelvesModule } from '../support/shelves.js';
import { orderedBy } from './resources.js';
import { expectAlways, FUZZ, TIMEOUT_MS } from './run.js';
import { expectSequence, reached, sequences } from './sequences.js';
import { World } from './world.js';

addToApp(ShelvesModule);
addToApp(ReadingsModule);
const world = await World.start();
const operationsOf = (wanted: string) => world.operations.filter(({ path }) => path === wanted);

describe(`Contract fuzzing of lists in other orders with seed ${FUZZ.seed}`, () => {
  afterAll(() => world.stop());

  it.each(['/v1/shelves', '/v1/readings'])(
    'pages and walks of %s are as the model predicts',
    async (path) => {
      const values = sequences({ operations: operationsOf(path) });
      const name = `pages and walks of ${path} are as the model predicts`;
      await expectAlways(name, { share: 0.015, values, show: reached }, (steps) =>
        expectSequence(world, steps),
      );
    },
    TIMEOUT_MS,
  );

  const list = operationsOf('/v1/shelves').find(({ method }) => method === 'GET')!;

  it.each(['batchCode', 'batch code'])('knows the field: %s', (words) => {
    const description = `Return only vaccines whose ${words} is greater: the last ${words} of the previous page.`;
    const query = [{ name: 'after', required: false, schema: {}, description }];
    const answer = { items: { properties: { batchCode: {} } } };
    expect(orderedBy({ ...list, query, answer })).toEqual({ by: 'batchCode', isLatestFirst: false });
  });

  it('needs to know the field', () => {
    const silent = {
      ...list,
      query: list.query.map(({ name, schema }) => ({ name, required: false, schema })),
    };
    expect(() => orderedBy(silent)).toThrow('listShelves: begin the description of "after" with the field');
  });
});
