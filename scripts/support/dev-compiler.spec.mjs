import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DevCompiler } from './dev-compiler.mjs';

describe('DevCompiler', () => {
  let folder;
  let compiler;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dev-compiler-'));
    mkdirSync(join(folder, 'src', 'part'), { recursive: true });
    compiler = new DevCompiler(join(folder, 'src'), join(folder, 'out'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name, text) => writeFileSync(join(folder, 'src', name), text);
  const compiled = (name) => readFileSync(join(folder, 'out', name), 'utf8');

  it('compiles all files except tests, then only changed ones', () => {
    write('a.ts', "import { x } from 'some-package';\nexport const a: number = x;\n");
    write('part/b.ts', "export { a } from '../a.js';\n");
    write('a.spec.ts', 'not for this');
    expect(compiler.update()).toEqual({ changed: [expect.any(String), expect.any(String)], errors: [] });
    expect(compiled('a.js')).toContain('export const a = x;');
    expect(existsSync(join(folder, 'out', 'a.spec.js'))).toBe(false);
    expect([...compiler.packages]).toEqual(['some-package']);
    expect(compiler.update()).toEqual({ changed: [], errors: [] });

    write('part/b.ts', 'export const b = 22;\n');
    expect(compiler.update().changed).toEqual([join(folder, 'src', 'part', 'b.ts')]);
    expect(compiled('part/b.js')).toContain('export const b = 22;');
  });

  it('reports an error until it is fixed, and keeps the last good output', () => {
    write('a.ts', 'export const a = 1;\n');
    compiler.update();
    write('a.ts', 'export const a = ;;\n');
    expect(compiler.update().errors).toEqual([expect.stringMatching(/^a\.ts: [^]*Expression expected/)]);
    expect(compiled('a.js')).toContain('export const a = 1;');
    write('b.ts', 'export const b = 1;\n');
    expect(compiler.update().errors).toHaveLength(1);
    write('a.ts', 'export const a = 333;\n');
    expect(compiler.update().errors).toEqual([]);
    expect(compiled('a.js')).toContain('export const a = 333;');
  });

  it('copies files that are not TypeScript', () => {
    write('part/page.html', '<p>one</p>');
    compiler.update();
    expect(compiled('part/page.html')).toBe('<p>one</p>');
    write('part/page.html', '<p>another</p>');
    expect(compiler.update()).toEqual({ changed: [join(folder, 'src', 'part', 'page.html')], errors: [] });
    expect(compiled('part/page.html')).toBe('<p>another</p>');
  });

  it('removes the output of deleted files', () => {
    write('a.ts', 'export const a = 1;\n');
    compiler.update();
    rmSync(join(folder, 'src', 'a.ts'));
    expect(compiler.update().changed).toHaveLength(1);
    expect(existsSync(join(folder, 'out', 'a.js'))).toBe(false);
  });
});
