import { describe, expect, it } from '@jest/globals';
import { readFields } from '../fields.mjs';
import { readNames } from '../names.mjs';
import { splitFields } from '../nested.mjs';
import { readOperations } from '../operations.mjs';
import { descriptionOf } from './of-field.mjs';

describe('descriptionOf', () => {
  it.each([
    ['shelfMark:text(9)', 'The shelf mark of the toy.'],
    ['makerId:int64', 'Identifier of the maker of the toy.'],
    ['petId:int64->pets', 'Identifier of the pet of the toy.'],
    ['sold:boolean', 'Whether the toy is sold.'],
    ['soldAt:dateTime', 'When the toy was sold.'],
    ['startsAt:dateTime', 'When the toy starts.'],
    ['birthday:dateTime', 'The birthday of the toy.'],
  ])('describes %s', (table, description) => {
    const [field] = readFields(splitFields(table), readNames('toys'), readOperations());
    expect(descriptionOf(field, 'toy')).toBe(description);
  });

  it('describes a field of an object', () => {
    const [{ parts }] = readFields(
      splitFields('address:{primary:boolean}'),
      readNames('toys'),
      readOperations(),
    );
    expect(descriptionOf(parts[0], 'address')).toBe('Whether the address is primary.');
  });
});
