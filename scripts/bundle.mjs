// Bundles each program in dist, and their packages as one script, dist/packages.cjs, with V8's code cache. Without this,
// most of start-up went into resolving, reading and compiling two thousand files. Packages with assets, lazily loaded
// packages and optional peers stay external.
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { isModuleNamespaceObject } from 'node:util/types';
import { build } from 'esbuild';
import { bundling, external } from './support/bundling.mjs';
import { cachePackages } from './support/cache-packages.mjs';
import { root } from './support/root.mjs';

const dist = join(root, 'dist');
const require = createRequire(join(root, 'package.json'));
const loader = join(root, 'scripts', 'support', 'load-packages.mjs');
const programs = readdirSync(dist, { recursive: true }).filter((file) => /(?:^main|\.cli)\.js$/.test(file));

/**
 * Packages that are imported on demand. So is pino-pretty, but through `createRequire`, which esbuild does not follow. Not
 * `@opentelemetry/api`: prom-client imports it at start-up, and its copies work together.
 */
const TRACES = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace-base'];
const LATE = ['@redis/client', ...TRACES.map((name) => `@opentelemetry/${name}`)];

const common = {
  ...bundling,
  // Less to parse at start-up. Names stay: Nest and TypeORM use those of classes.
  minifyWhitespace: true,
  minifySyntax: true,
  external: external(...LATE),
};
const used = new Set();

/** Imports of packages lead to dist/packages.cjs. */
const fromPackages = {
  name: 'from packages',
  setup: ({ onResolve, onLoad }) => {
    const isExternal = new RegExp(
      `^(?:${common.external.map((name) => name.replace('*', '.*')).join('|')})$`,
    );
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      if (isBuiltin(path) || isExternal.test(path)) return;
      used.add(path);
      return { path, namespace: 'package' };
    });
    onLoad({ filter: /./, namespace: 'package' }, ({ path }) => ({
      contents: `
        import { packages } from './load-packages.mjs';
        const all = packages['${path}']();
        ${exportsOf(path)}`,
      resolveDir: dirname(loader),
    }));
  },
};

/** By name, so that a wrong name fails the build. Those that nobody imports drop out. */
function exportsOf(path) {
  const all = require(path);
  const names = Object.keys(all).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  const named = names.map(
    (name, i) => `const _${i} = /* @__PURE__ */ (() => all.${name})(); export { _${i} as ${name} };`,
  );
  return [`export default ${isModuleNamespaceObject(all) ? 'all.default' : 'all'};`, ...named].join('\n');
}

/**
 * What packages expect; those that are modules expect to be strict. Without a navigator, pg tells its runtime by
 * `Response`, which loads the whole of fetch.
 */
const GLOBALS = `'use strict';
const module = { exports }, __url = require('node:url').pathToFileURL(__filename).href;
const navigator = { userAgent: 'Node.js' };`;

/** Nest's module would load TypeORM a second time, from its package, to look for exports of old versions. */
const withoutOldTypeorm = {
  name: 'without exports of old TypeORM',
  setup: ({ onLoad, onEnd }) => {
    let isLeftOut = false;
    onLoad({ filter: /@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/ }, () => {
      isLeftOut = true;
      return { contents: 'export const Connection = undefined, AbstractRepository = undefined;' };
    });
    onEnd(() => {
      if (!isLeftOut) throw new Error('@nestjs/typeorm has no typeorm-compat.js: remove withoutOldTypeorm.');
    });
  },
};

await build({
  ...common,
  entryPoints: Object.fromEntries([
    ...programs.map((program) => [program.slice(0, -'.js'.length), join(dist, program)]),
    ['packages', loader], // for start-and-cache.mjs
  ]),
  outdir: dist,
  allowOverwrite: true,
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [fromPackages],
});

await build({
  ...common,
  stdin: {
    contents: Array.from(used, (name) => `exports['${name}'] = () => require('${name}');`).join('\n'),
    resolveDir: root,
  },
  outfile: join(dist, 'packages.cjs'),
  format: 'cjs',
  splitting: false,
  chunkNames: undefined,
  banner: { js: `(function (exports, require, __filename, __dirname) {${GLOBALS}` },
  footer: { js: '})' },
  define: { 'import.meta.url': '__url' },
  supported: { 'dynamic-import': false }, // optional packages: `require` also loads modules
  plugins: [withoutOldTypeorm],
});

/** esbuild escapes all but regular expressions. In ASCII, the script takes half of the memory. */
async function escapeAll(file) {
  const text = await readFile(file, 'utf8');
  if (/\\[^\0-\x7f]/.test(text))
    throw new Error(`${file} has a character behind a backslash that cannot be escaped.`);
  const escaped = text.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  await writeFile(file, escaped);
}

await escapeAll(join(dist, 'packages.cjs'));
await cachePackages();
