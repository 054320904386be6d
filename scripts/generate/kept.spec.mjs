import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { askKept, readKept } from './kept.mjs';

describe('askKept', () => {
  it.each([
    ['\n', 'distributed', 1],
    ['everywhere\n', 'everywhere', 1],
    ['local\n everywhere \n', 'everywhere', 2],
  ])('asks until it reads a word, or nothing: %j', async (typed, kept, questions) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const asked = [];
    output.on('data', (text) => {
      if (!`${text}`.includes('?')) return;
      asked.push(`${text}`);
      input.write(typed.split(/(?<=\n)/)[asked.length - 1]);
    });
    expect(await askKept('distributed', { input, output })).toBe(kept);
    expect(asked).toHaveLength(questions);
    expect(asked[0]).toContain('[distributed]');
  });

  it('takes what suits where nobody is there to answer', async () => {
    expect(await askKept('everywhere', {})).toBe('everywhere');
  });
});

describe('readKept', () => {
  it('refuses other words', () => {
    expect(() => readKept('here')).toThrow(
      'A table is not kept "here". Write --kept with one of distributed, everywhere, unsupported.',
    );
  });
});
