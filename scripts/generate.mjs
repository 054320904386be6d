// Adds a feature: `npm run generate -- clinics clinic` copies scripts/template to src/clinics under its names, and its test.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { giveUp, root } from './support/programs.mjs';

const TEMPLATE = 'scripts/template';
const APP_MODULE = 'src/app.module.ts';
const now = Date.now();

process.chdir(root);
const words = process.argv.slice(2);
const [plural, singular] = words;
if (words.length !== 2 || plural === singular || !words.every((word) => /^[a-z]+$/.test(word)))
  giveUp('Usage: npm run generate -- <plural> <singular>, such as: clinics clinic');
const [folder, test] = [`src/${plural}`, `test/e2e/${plural}.spec.ts`];
const taken = [folder, test].find(existsSync);
if (taken) giveUp(`${taken} exists.`);
const prettier = join('node_modules', 'prettier', 'bin', 'prettier.cjs');
if (!existsSync(prettier)) giveUp('Install the packages first: npm ci');

const registered = withFeature(readFileSync(APP_MODULE, 'utf8'));
for (const name of readdirSync(TEMPLATE, { recursive: true }).filter((each) => each.endsWith('.ts')))
  copy(join(TEMPLATE, name), join(folder, renamed(name)));
copy('test/e2e/samples.spec.ts', test);
writeFileSync(APP_MODULE, registered);
execFileSync(process.execPath, [prettier, '--write', '--log-level=warn', folder, test, APP_MODULE]);

process.stdout.write(`Written to ${folder}, ${test} and ${APP_MODULE}. Next:
  1. Put in your fields and rules: entity and migration, dto, service, test.
  2. npm test -- ${plural}
  3. npm run build && npm run openapi && npm run client && npm run guide
  4. npm run schemathesis && npm run check
`);

function withFeature(text) {
  const module = `${capital(plural)}Module`;
  const code = text
    .replace(/^import [^;]*;\n(?!import)/m, `$&import { ${module} } from './${plural}/${plural}.module.js';\n`)
    .replace(/(@Module\(\{\s*imports: \[[^\]]*?),?\s*\]/, `$1, ${module}]`);
  return code.includes(`, ${module}]`) ? code : giveUp(`${APP_MODULE} has no list of features.`);
}

/** A feature stands in src, and the application has it. */
function copy(from, to) {
  const text = renamed(readFileSync(from, 'utf8'))
    .replaceAll(/'((?:\.\.\/)+)\.\.\/src\//g, "'$1")
    .replace(/import .* from '.*\/scripts\/template\/.*\n/, '')
    .replace(/startService\(\{\}, undefined, \[\w+\]\)/, 'startService()');
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}

/** Puts the names of the feature in place of those of the template, and the time in place of its migration's. */
function renamed(text) {
  return text
    .replace(/samples?/gi, (old) => {
      const name = old.toLowerCase() === 'samples' ? plural : singular;
      if (old === old.toUpperCase()) return name.toUpperCase();
      return old.startsWith('S') ? capital(name) : name;
    })
    .replaceAll('1795900000000', String(now))
    .replaceAll(/\b([Aa]) (?=[aeio])/g, '$1n ');
}

function capital(word) {
  return `${word[0].toUpperCase()}${word.slice(1)}`;
}
