import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformFileSync } from '@swc/core';
import { typescript } from './swc.mjs';

/** Compiles a folder of TypeScript incrementally, file by file. */
export class DevCompiler {
  #seen = new Map();
  #errors = new Map();
  /** The packages imported by the code. */
  packages = new Set();

  constructor(from, to) {
    this.from = from;
    this.to = to;
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    writeFileSync(join(to, 'package.json'), '{ "type": "module" }'); // node_modules has none
  }

  /** Compiles files changed since the last update, and returns all current errors. */
  update() {
    const files = new Map(this.#sources().map((file) => [file, stampOf(file)]));
    const changed = [...files.keys()].filter((file) => this.#seen.get(file) !== files.get(file));
    const gone = [...this.#seen.keys()].filter((file) => !files.has(file));
    for (const file of changed) this.#compile(file);
    for (const file of gone) {
      rmSync(this.#target(file), { force: true });
      this.#errors.delete(file);
    }
    this.#seen = files;
    return { changed: [...changed, ...gone], errors: [...this.#errors.values()] };
  }

  #sources() {
    return readdirSync(this.from, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => join(entry.parentPath, entry.name));
  }

  /** A file with errors keeps its last good output. Other files, such as assets, are copied. */
  #compile(file) {
    const target = this.#target(file);
    mkdirSync(dirname(target), { recursive: true });
    if (!file.endsWith('.ts')) return copyFileSync(file, target);
    try {
      const options = { jsc: typescript, module: { type: 'es6' }, sourceMaps: 'inline', swcrc: false };
      const { code } = transformFileSync(file, options);
      for (const [, name] of code.matchAll(/^import .*?["']([^."'][^"']*)["'];$/gm)) this.packages.add(name);
      writeFileSync(target, code);
      this.#errors.delete(file);
    } catch (error) {
      const [told] = error.message.split('Caused by:'); // the rest is internal to the compiler
      this.#errors.set(file, `${relative(this.from, file)}: ${told.trim()}`);
    }
  }

  #target(file) {
    return join(this.to, relative(this.from, file).replace(/\.ts$/, '.js'));
  }
}

function stampOf(file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}
