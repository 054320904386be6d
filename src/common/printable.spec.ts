import { describe, expect, it } from '@jest/globals';
import { findUnprintable, printable, printableLines } from './printable.js';

describe('Printable text', () => {
  it.each([
    ['a bidi control', '\u202e', 'U+202E', '\\u202e'],
    ['an escape', '\u001b', 'U+001B', '\\u001b'],
    ['a C1 control', '\u009b', 'U+009B', '\\u009b'],
    ['a zero-width space', '\u200b', 'U+200B', '\\u200b'],
    ['a line separator', '\u2028', 'U+2028', '\\u2028'],
    ['a lone surrogate', '\ud800', 'U+D800', '\\ud800'],
    ['a tag beyond the first plane', '\u{e0041}', 'U+E0041', '\\udb40\\udc41'],
    ['a line break', '\n', 'U+000A', '\\u000a'],
  ])('shows %s by its number', (_, character, name, escaped) => {
    expect(findUnprintable(`team${character}x`)).toBe(name);
    expect(printable(`team${character}x`)).toBe(`team${escaped}x`);
  });

  it('leaves letters, marks, emoji and spaces as they are', () => {
    const text = 'Équipe Ж 猫 ‘x’ 🐈 é\u00a0\\';
    expect(findUnprintable(text)).toBeUndefined();
    expect(printable(text)).toBe(text);
  });

  it('keeps the lines of a text, and JSON as JSON', () => {
    const json = JSON.stringify({ name: 'a\u202eb\u009b\nc\ud800' }, null, 2);
    expect(printableLines(json)).toMatch(/^[\n -~]*$/);
    expect(JSON.parse(printableLines(json))).toEqual(JSON.parse(json));
  });
});
