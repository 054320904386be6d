import { describe, expect, it } from '@jest/globals';
import { generateKey, hintOfKey, environmentOfKey } from './key-format.js';

describe('API key format', () => {
  it.each(['live', 'test'] as const)('contains the kind of the key: %s', (kind) => {
    const key = generateKey(kind);
    expect(key).toMatch(new RegExp(`^pets_${kind}_[0-9A-Za-z]{38}$`));
    expect(environmentOfKey(key)).toBe(kind);
  });

  it('generates unique keys over the full alphabet', () => {
    const keys = Array.from({ length: 500 }, () => generateKey('test'));
    expect(new Set(keys).size).toBe(500);
    const characters = new Set(keys.flatMap((key) => key.slice('pets_test_'.length).split('')));
    expect(characters.size).toBe(62);
  });

  it('detects any single changed character', () => {
    const key = generateKey('test');
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'x' ? 'y' : 'x';
      expect(environmentOfKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
    }
  });

  it('detects any two swapped neighbours', () => {
    const key = generateKey('test');
    for (let i = 'pets_test_'.length; i < key.length - 1; i++) {
      if (key[i] === key[i + 1]) continue;
      expect(environmentOfKey(key.slice(0, i) + key[i + 1] + key[i] + key.slice(i + 2))).toBeUndefined();
    }
  });

  it.each(['', 'pets_test_', 'pets_prod_x', ' ', 'x'.repeat(10_000)])('rejects "%s"', (text) => {
    expect(environmentOfKey(text)).toBeUndefined();
  });

  it('reveals only the prefix and four characters in the hint', () => {
    const key = generateKey('live');
    expect(hintOfKey(key)).toBe(`${key.slice(0, 14)}…`);
  });
});
