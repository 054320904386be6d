import { afterAll, describe, expect, it } from '@jest/globals';
import { addToApp } from '../support/every-rule.js';
import { ShelvesModule } from '../support/shelves.js';
import { orderedBy } from './resources.js';
import { expectAlways, FUZZ, TIMEOUT_MS } from './run.js';
import { expectSequence, reached, sequences } from './sequences.js';
import { World } from './world.js';

addToApp(ShelvesModule);
const world = await World.start();
const operations = world.operations.filter(({ path }) => path === '/v1/shelves');

describe(`Contract fuzzing of a list in the order of a text with seed ${FUZZ.seed}`, () => {
  afterAll(() => world.stop());

  it(
    'pages and walks are as the model predicts',
    async () => {
      const values = sequences({ operations });
      const name = 'pages and walks are as the model predicts';
      await expectAlways(name, { share: 0.015, values, show: reached }, (steps) =>
        expectSequence(world, steps),
      );
    },
    TIMEOUT_MS,
  );

  const list = operations.find(({ method }) => method === 'GET')!;

  it.each(['batchCode', 'batch code'])('knows the field: %s', (words) => {
    const description = `Return only vaccines whose ${words} is greater: the last ${words} of the previous page.`;
    const query = [{ name: 'after', required: false, schema: {}, description }];
    const answer = { items: { properties: { batchCode: {} } } };
    expect(orderedBy({ ...list, query, answer })).toBe('batchCode');
  });

  it('needs to know the field', () => {
    const silent = {
      ...list,
      query: list.query.map(({ name, schema }) => ({ name, required: false, schema })),
    };
    expect(() => orderedBy(silent)).toThrow('listShelves: begin the description of "after" with the field');
  });
});
