import { describe, expect, it } from '@jest/globals';
import { edited } from './edit.mjs';
import { readSteps } from './steps.mjs';

describe('readSteps', () => {
  it('returns each block with its line number', () => {
    const page = `# A guide

\`\`\`sh
npm run first
npm run second    # and why
\`\`\`

Not \`this.ts\`, but in \`src/that.ts\`:

\`\`\`diff
+a
\`\`\`
`;
    expect(readSteps(page)).toEqual([
      { kind: 'command', title: 'npm run first', command: 'npm run first', line: 4 },
      { kind: 'command', title: 'npm run second', command: 'npm run second', line: 5 },
      { kind: 'edit', title: 'edit src/that.ts', path: 'src/that.ts', block: ['+a'], line: 10 },
    ]);
  });

  it.each([
    ['no file for it', 'Some code.\n\n```ts\na\n```\n', 'The line before the block in line 3 names no file'],
    ['no end', 'In `src/a.ts`:\n\n```ts\na\n', 'The block in line 3 has no end.'],
  ])('fails on a block that has %s', (_, page, message) => {
    expect(() => readSteps(page)).toThrow(message);
  });
});

describe('edited', () => {
  it('applies the hunks and keeps all other lines', () => {
    expect(edited('a\nb\nc\n', [' a', '-b', '+B', '+B2'])).toBe('a\nB\nB2\nc\n');
    expect(edited('a\n\nb\n', ['', '-b', '+c'])).toBe('a\n\nc\n');
    expect(edited('a\nb\nc\n', ['-a', '@@', ' c', '+d'])).toBe('b\nc\nd\n');
    expect(edited('$1\n', ['-$1', '+$&'])).toBe('$&\n');
  });

  it('creates a new file', () => {
    expect(edited('', ['+a', '+', '+b'])).toBe('a\n\nb\n');
  });

  it.each([
    ['are missing', 'a\n', [' b', '+c'], 'These lines are not in the file:\nb'],
    ['match only part of a line', 'ab\n', [' b', '+c'], 'These lines are not in the file:\nb'],
    ['occur twice', 'a\nb\na\n', [' a', '+c'], 'These lines occur more than once'],
    ['have no context in an existing file', 'a\n', ['+c'], 'These lines need context'],
  ])('refuses lines that %s', (_, text, diff, message) => {
    expect(() => edited(text, diff)).toThrow(message);
  });
});
