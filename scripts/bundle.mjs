// Bundles each program in dist with the packages it imports. Without this, two thirds of start-up went into resolving
// and reading two thousand files. Packages with assets, lazily loaded packages and optional peers stay external.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, external } from './support/bundling.mjs';
import { root } from './support/root.mjs';

const dist = join(root, 'dist');
const programs = readdirSync(dist, { recursive: true }).filter((file) => /(?:^main|\.cli)\.js$/.test(file));

/**
 * Packages that are imported on demand. So is pino-pretty, but through `createRequire`, which esbuild does not follow. Not
 * `@opentelemetry/api`: prom-client imports it at start-up, and its copies work together.
 */
const TRACES = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace-base'];
const LATE = ['yaml', '@redis/client', ...TRACES.map((name) => `@opentelemetry/${name}`)];

/**
 * An empty source map for packages: Node.js reads all maps at start-up, and those of packages are nine tenths of the
 * total. Stack traces still show the lines of src.
 */
const NO_MAP = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');

const withoutMapsOfPackages = {
  name: 'without maps of packages',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NO_MAP}`,
      loader: 'js',
    })),
};

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
  ...bundling,
  // Less to parse at start-up. Names stay: Nest and TypeORM use those of classes.
  minifyWhitespace: true,
  minifySyntax: true,
  entryPoints: programs.map((program) => join(dist, program)),
  outdir: dist,
  outbase: dist,
  allowOverwrite: true,
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [withoutOldTypeorm, withoutMapsOfPackages],
  external: external(...LATE),
});
