import { describe, expect, it } from '@jest/globals';
import { filesOf } from './files.mjs';
import { readNames, rename } from './names.mjs';
import { refuseTaken } from './taken.mjs';

describe('readNames', () => {
  it.each([
    ['toys', 'toy', undefined],
    ['pet-toys', 'pet-toy', undefined],
    ['categories', 'category', undefined],
    ['dishes', 'dish', undefined],
    ['witnesses', 'witness', undefined],
    ['horses', 'horse', 'horse'],
    ['people', 'person', 'person'],
  ])('derives or takes the singular: %s, %s', (plural, singular, given) => {
    expect(readNames(plural, given)).toEqual({ plural, singular });
  });

  it.each([
    ['Toys', undefined, '"Toys" is not a valid name.'],
    ['toy_s', undefined, '"toy_s" is not a valid name.'],
    ['../toys', undefined, '"../toys" is not a valid name.'],
    ['toys', 'Toy', '"Toy" is not a valid name.'],
    [`${'x'.repeat(40)}s`, undefined, 'no more than 40 characters'],
    ['sheep', undefined, 'The singular of "sheep" is not clear. Add: --singular <name>'],
    ['buses', undefined, 'The singular of "buses" is not clear. Add: --singular <name>'],
    ['sheep', 'sheep', 'The plural and the singular are both "sheep"'],
    ['classes', undefined, 'The generated code uses "class" for something else.'],
    ['pages', undefined, 'The generated code uses "Page" for something else.'],
    ['dates', undefined, 'The generated code uses "Date" for something else.'],
  ])('refuses %s with singular %s and says what to do', (plural, singular, message) => {
    expect(() => readNames(plural, singular)).toThrow(message);
  });
});

describe('rename', () => {
  it('replaces the names of the template in every spelling', () => {
    const text = 'SampleThings sampleThing sample-things sample_thing SAMPLE_THINGS sample things';
    expect(rename(text, { plural: 'pet-toys', singular: 'pet-toy' })).toBe(
      'PetToys petToy pet-toys pet_toy PET_TOYS pet toys',
    );
    const sentence = 'A sample thing is a sample thing.';
    expect(rename(sentence, { plural: 'owls', singular: 'owl' })).toBe('An owl is an owl.');
    expect(rename(sentence, { plural: 'units', singular: 'unit' })).toBe('A unit is a unit.');
  });
});

describe('filesOf', () => {
  it('replaces all template names, and puts the timestamp into the migration', async () => {
    const files = await filesOf({ plural: 'toys', singular: 'toy' }, 1_234_567_890_123);
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'src/toys/toys.module.ts',
        'src/toys/migrations/1234567890123-create-toys.ts',
        'test/e2e/list-toys.spec.ts',
      ]),
    );
    const all = Object.entries(files).flat().join('\n');
    expect(all).not.toMatch(/sample.?thing/i);
    expect(all).not.toContain('1000000000000');
    expect(all).toContain('class CreateToys1234567890123');
  });
});

describe('refuseTaken', () => {
  it.each([
    ['pets', 'pet', [], 'src/pets already exists.'],
    ['toys', 'toy', ['test/e2e/list-pets.spec.ts'], 'test/e2e/list-pets.spec.ts already exists.'],
    ['api-keys', 'api-key', [], 'src/auth/api-key.entity.ts already has a table "api_keys".'],
    ['pet-statuses', 'pet-status', [], 'The document already has a schema "PetStatus".'],
  ])('refuses %s, which would collide', (plural, singular, paths, message) => {
    expect(() => refuseTaken({ plural, singular }, paths)).toThrow(message);
  });

  it('accepts a free name', () => {
    expect(() => refuseTaken({ plural: 'toys', singular: 'toy' }, ['src/toys/toys.module.ts'])).not.toThrow();
  });
});
