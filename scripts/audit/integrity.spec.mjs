import { describe, expect, it } from '@jest/globals';
import { integrityProblems } from './integrity.mjs';

const integrity = 'sha512-abc';
const forAnotherPlatform = { dev: true, optional: true, os: ['darwin'] };
const problemsOf = (packages, accepted = []) => integrityProblems({ packages }, accepted);

describe('integrityProblems', () => {
  it('accepts records with integrity, the project, links, and the listed packages of other platforms', () => {
    const packages = { '': {}, 'node_modules/a': { integrity }, 'clients/b': { link: true } };
    expect(problemsOf(packages)).toEqual([]);
    expect(problemsOf({ ...packages, 'node_modules/c': forAnotherPlatform }, ['node_modules/c'])).toEqual([]);
  });

  it('names a record without integrity that is new', () => {
    expect(problemsOf({ 'node_modules/c': forAnotherPlatform })).toEqual([
      expect.stringContaining('node_modules/c has no integrity'),
    ]);
  });

  it('names one that is installed everywhere or in production, even if it is listed', () => {
    for (const record of [{}, { dev: true }, { optional: true }]) {
      expect(problemsOf({ 'node_modules/c': record }, ['node_modules/c'])).toHaveLength(1);
    }
  });

  it('names a listed record that has an integrity by now, or is gone', () => {
    const packages = { 'node_modules/c': { ...forAnotherPlatform, integrity } };
    expect(problemsOf(packages, ['node_modules/c', 'node_modules/d'])).toEqual([
      expect.stringContaining('node_modules/c has an integrity'),
      expect.stringContaining('node_modules/d has an integrity or is gone'),
    ]);
  });
});
