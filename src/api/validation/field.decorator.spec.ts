import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { readValid } from './declared-fields.js';
import { Field, OptionalField, QueryParameter } from './field.decorator.js';
import { int64, integer } from './rule.js';

const small = integer({ minimum: 1, maximum: 500 });

class Box {
  @Field(small, { description: 'How many fit in.' })
  readonly seats!: number;

  @OptionalField(small, { description: 'How many are in.' })
  readonly taken?: number;

  @OptionalField(int64(), { description: 'Whose it is.' })
  readonly ownerId?: bigint;
}

class Query {
  @QueryParameter(small, { description: 'How many.' })
  readonly limit?: number;
}

/** Returns what the handler would get and the invalid properties, and asserts that the fast path agrees. */
function read(input: typeof Box | typeof Query, given: object): [object, string[]] {
  const instance = plainToInstance<object, object>(input, given);
  const faults = validateSync(instance).map(({ property }) => property);
  expect(readValid<object>(input, given)).toEqual(faults.length > 0 ? undefined : instance);
  return [instance, faults];
}

describe('Input fields', () => {
  it('convert a JSON bigint to a number when the field is a small integer', () => {
    expect(read(Box, { seats: 4n, taken: 500n, ownerId: 7n })).toEqual([
      { seats: 4, taken: 500, ownerId: 7n },
      [],
    ]);
    expect(read(Box, { seats: 1n })).toEqual([{ seats: 1 }, []]);
    expect(read(Query, { limit: '20' })).toEqual([{ limit: 20 }, []]);
  });

  it.each([[0n], [501n], [2n ** 62n], ['4'], [null], [[4n]], [true]])(
    'reject a value that breaks the rule: %p',
    (value) => {
      expect(read(Box, { seats: value })[1]).toEqual(['seats']);
    },
  );
});
