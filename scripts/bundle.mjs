// Puts each program of dist and all the packages that it imports into few files: two thirds of a start were spent on
// finding and reading two thousand. Packages that come with files of their own, those that are loaded late and those that
// are optional to others and not installed stay where they are.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling, external } from './support/bundling.mjs';
import { root } from './support/root.mjs';

const dist = join(root, 'dist');
const programs = readdirSync(dist, { recursive: true }).filter((file) => /(?:^main|\.cli)\.js$/.test(file));

/** Loaded by few, when they are wanted; pino-pretty too, in a way that is not seen here. */
const LATE = ['yaml', '@redis/client', '@opentelemetry'];

/**
 * A source map that maps nothing, for what others wrote: Node.js reads all maps at the start, and theirs are nine tenths
 * of it. Stacks still name the lines of src.
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

await build({
  ...bundling,
  entryPoints: programs.map((program) => join(dist, program)),
  outdir: dist,
  outbase: dist,
  allowOverwrite: true,
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [withoutMapsOfPackages],
  external: external(...LATE),
});
