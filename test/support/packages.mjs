import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, external } from '../../scripts/support/bundling.mjs';
import { root } from '../../scripts/support/root.mjs';

/**
 * Packages with many files, bundled once and cached beside the installed packages. Jest resolves, reads and compiles
 * every file again for each test file, which took longer than most tests.
 */
const PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/core/router/router-execution-context.js',
  '@nestjs/passport',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@nestjs/testing',
  '@nestjs/typeorm',
  'class-transformer',
  'class-transformer/cjs/storage.js',
  'class-validator',
  'fast-check',
  'fastify',
  'lossless-json',
  'passport-http-bearer',
  'pg',
  'pg-protocol/dist/parser.js',
  'pino',
  'prom-client',
  'rate-limiter-flexible',
  'rxjs',
  'typeorm',
];

/** Stays external, because it must extend `Reflect` before any other package loads; a bundle would load it too late. */
const FIRST = 'reflect-metadata';

const versions = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
const madeBy = versions
  .update(readFileSync(import.meta.filename))
  .digest('hex')
  .slice(0, 16);
const folder = join(root, 'node_modules', '.cache', 'animal-store', `packages-${madeBy}`);

/** For Jest's `moduleNameMapper`. */
export const bundledPackages = { [`^(${PACKAGES.join('|')})$`]: join(folder, '$1.js') };

export async function bundlePackages() {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  await build({
    ...bundling,
    entryPoints: PACKAGES.map((name) => ({ in: `everything of ${name}`, out: name })),
    outdir: unfinished,
    external: external(FIRST, 'pino-pretty'),
    plugins: [everything],
  });
  await rename(unfinished, folder).catch((error) => {
    if (!existsSync(folder)) throw error; // otherwise a concurrent run was faster
  });
}

const everything = {
  name: 'everything of a package',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^everything of / }, ({ path }) => ({ path, namespace: 'everything' }));
    onLoad({ filter: /^/, namespace: 'everything' }, async ({ path }) => {
      const name = path.replace('everything of ', '');
      return { contents: everythingOf(name, Object.keys(await import(name))), resolveDir: root };
    });
  },
};

/** Re-exports everything; the exports of a CommonJS package are known only after loading it. */
function everythingOf(name, exported) {
  if (!exported.includes('default')) return `export * from '${name}';`;
  const names = exported.filter((each) => each !== 'default' && each !== 'module.exports');
  return `const whole = require('${name}');
export const { ${names.join(', ')} } = whole;
export default whole;`;
}
