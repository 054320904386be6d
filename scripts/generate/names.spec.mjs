import { describe, expect, it } from '@jest/globals';
import { filesOf } from './files.mjs';
import { readNames, rename } from './names.mjs';
import { refuseTaken } from './taken.mjs';

describe('The names of a resource', () => {
  it.each([
    ['toys', 'toy', undefined],
    ['pet-toys', 'pet-toy', undefined],
    ['categories', 'category', undefined],
    ['dishes', 'dish', undefined],
    ['witnesses', 'witness', undefined],
    ['horses', 'horse', 'horse'],
    ['people', 'person', 'person'],
  ])('%s: one is a %s', (plural, singular, given) => {
    expect(readNames(plural, given)).toEqual({ plural, singular });
  });

  it.each([
    ['Toys', undefined, '"Toys" does not do.'],
    ['toy_s', undefined, '"toy_s" does not do.'],
    ['../toys', undefined, '"../toys" does not do.'],
    ['toys', 'Toy', '"Toy" does not do.'],
    [`${'x'.repeat(40)}s`, undefined, 'no longer than 40 characters'],
    ['sheep', undefined, 'What is one of "sheep" called? Add: --singular <name>'],
    ['buses', undefined, 'What is one of "buses" called? Add: --singular <name>'],
    ['sheep', 'sheep', 'The plural and the singular are both "sheep"'],
    ['classes', undefined, 'The generated code needs "class" for something else.'],
    ['pages', undefined, 'The generated code needs "Page" for something else.'],
    ['dates', undefined, 'The generated code needs "Date" for something else.'],
  ])('%s of %s: refused, with what to do', (plural, singular, message) => {
    expect(() => readNames(plural, singular)).toThrow(message);
  });

  it('stand wherever the template has its own, written as they are written there', () => {
    const text = 'SampleThings sampleThing sample-things sample_thing SAMPLE_THINGS sample things';
    expect(rename(text, { plural: 'pet-toys', singular: 'pet-toy' })).toBe(
      'PetToys petToy pet-toys pet_toy PET_TOYS pet toys',
    );
    const sentence = 'A sample thing is a sample thing.';
    expect(rename(sentence, { plural: 'owls', singular: 'owl' })).toBe('An owl is an owl.');
    expect(rename(sentence, { plural: 'units', singular: 'unit' })).toBe('A unit is a unit.');
  });
});

describe('The files of a resource', () => {
  it('have nothing left of the template, and the time in the name of the migration and of its class', async () => {
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

  it.each([
    ['pets', 'pet', [], 'src/pets is there already.'],
    ['toys', 'toy', ['test/e2e/list-pets.spec.ts'], 'test/e2e/list-pets.spec.ts is there already.'],
    ['api-keys', 'api-key', [], 'src/auth/api-key.entity.ts has a table "api_keys" already.'],
    ['pet-statuses', 'pet-status', [], 'The document has a schema "PetStatus" already.'],
  ])('%s meet what is there', (plural, singular, paths, message) => {
    expect(() => refuseTaken({ plural, singular }, paths)).toThrow(message);
  });

  it('meet nothing when the name is free', () => {
    expect(() => refuseTaken({ plural: 'toys', singular: 'toy' }, ['src/toys/toys.module.ts'])).not.toThrow();
  });
});
