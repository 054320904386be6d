import { describe, expect, it } from '@jest/globals';
import { assemble } from './assemble.mjs';

const lines = (...given) => given.join('\n');

describe('assemble', () => {
  it('keeps the lines whose condition holds', () => {
    const text = lines(
      'a',
      '// if list',
      'b',
      '  // if get|update',
      '  c',
      '  // end',
      '// else',
      'd',
      '// end',
      'e',
    );
    expect(assemble(text, new Set(['list', 'update']), {})).toBe(lines('a', 'b', '  c', 'e'));
    expect(assemble(text, new Set(['list']), {})).toBe(lines('a', 'b', 'e'));
    expect(assemble(text, new Set(['get']), {})).toBe(lines('a', 'd', 'e'));
  });

  it('fills the slots, and fails on an unknown one', () => {
    expect(assemble('({ id, $names$ })\n  // $more$', new Set(), { names: '$&', more: 'a;' })).toBe(
      '({ id, $& })\n  a;',
    );
    expect(() => assemble('$other$', new Set(), {})).toThrow('a slot "other" that no code fills');
  });

  it('leaves no line of a slot between imports that is empty', () => {
    expect(assemble('a\n// $more$\nb', new Set(), { more: '' })).toBe('a\nb');
    expect(assemble('a\n// $more$\nb', new Set(), { more: 'c' })).toBe('a\nc\nb');
  });

  it('removes imports that are left unused or are there twice', () => {
    const text = lines(
      "import { A, B, type C } from './a.js';",
      "import { A, B, type C } from './a.js';",
      "import { D, type E } from './d.js';",
      "import type { F } from './f.js';",
      "// F and 'F'",
      'A(C, E)',
    );
    expect(assemble(text, new Set(), {})).toBe(
      lines(
        "import { A, type C } from './a.js';",
        "import type { E } from './d.js';",
        "// F and 'F'",
        'A(C, E)',
      ),
    );
  });
});
