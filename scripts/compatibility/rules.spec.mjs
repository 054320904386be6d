import { describe, expect, it } from '@jest/globals';
import { describe as lineOf, judge, withLevels } from './rules.mjs';

const INFO = { id: 'endpoint-added', level: 1, fingerprint: 'a' };
const WARNING = { id: 'request-parameter-removed', level: 2, fingerprint: 'b' };
const ERROR = { id: 'response-optional-property-removed', level: 3, fingerprint: 'c' };

describe('The check of compatibility', () => {
  it('finds warnings and errors that are not accepted', () => {
    const accepted = [{ fingerprint: 'b', why: 'Nobody can notice.' }];
    expect(judge([INFO, WARNING, ERROR], accepted)).toEqual({ breaks: [ERROR], unused: [] });
  });

  it('finds accepted changes that do not exist, or need not be accepted', () => {
    const accepted = ['a', 'c', 'd'].map((fingerprint) => ({ fingerprint }));
    expect(judge([INFO, ERROR], accepted).unused).toEqual([accepted[0], accepted[2]]);
  });

  it('translates stages, and keeps every digit', () => {
    const document = '{ "x-stability": "experimental", "minimum": -9223372036854775808 }';
    expect(withLevels(document)).toBe('{ "x-stability-level": "alpha", "minimum": -9223372036854775808 }');
    expect(withLevels('"x-stability": "deprecated"')).toBe('"x-stability-level": "stable"');
    expect(() => withLevels('"x-stability": "retired"')).toThrow('The stage "retired" has no level');
  });

  it('names the operation', () => {
    const change = { ...ERROR, operationId: 'listPets', operation: 'GET', path: '/pets', text: 'removed it' };
    expect(lineOf(change)).toBe(
      '- listPets (GET /pets): removed it\n  response-optional-property-removed, fingerprint c',
    );
  });
});
