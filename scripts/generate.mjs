// Adds a feature: `npm run generate -- clinics` copies scripts/template to src/clinics under its names, and its test.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { argumentsOf, giveUp, root } from './support/programs.mjs';

const USAGE = 'Usage: npm run generate -- <plural, one lower-case word> [--singular <word>]';
const TEMPLATE = 'scripts/template';
const APP_MODULE = 'src/app.module.ts';
const now = Date.now();

process.chdir(root);
const { positionals, values } = argumentsOf(USAGE, {
  options: { singular: { type: 'string' } },
  allowPositionals: true,
});
const [plural = '', ...more] = positionals;
const { singular = singularOf(plural) } = values;
const areWords = [plural, singular].every((word) => /^[a-z]+$/.test(word));
if (!areWords || plural === singular || more.length > 0) giveUp(USAGE);
const [folder, test] = [`src/${plural}`, `test/e2e/${plural}.spec.ts`];
const taken = [folder, test].find(existsSync);
if (taken) giveUp(`${taken} exists.`);

const registered = withFeature(readFileSync(APP_MODULE, 'utf8'));
for (const name of readdirSync(TEMPLATE, { recursive: true }).filter((each) => each.endsWith('.ts')))
  await copy(join(TEMPLATE, name), join(folder, renamed(name)));
await copy('test/e2e/samples.spec.ts', test);
await write(APP_MODULE, registered);

process.stdout.write(`Written to ${folder}, ${test} and ${APP_MODULE}. Next:
  1. Put in your fields and rules: entity and migration, dto, repository, service, test.
  2. npm test -- ${plural}
  3. npm run openapi && npm run client && npm run guide
`);

/** The same word where English has another rule, such as for people. */
function singularOf(word) {
  return word.replace(/ies$|(?<=x|ch|sh|ss)es$|s$/, (end) => (end === 'ies' ? 'y' : ''));
}

function withFeature(text) {
  const module = `${capital(plural)}Module`;
  const code = text
    .replace(/^import [^;]*;\n(?!import)/m, `$&import { ${module} } from './${plural}/${plural}.module.js';\n`)
    .replace(/(@Module\(\{\s*imports: \[[^\]]*?),?\s*\]/, `$1, ${module}]`);
  return code.includes(`, ${module}]`) ? code : giveUp(`${APP_MODULE} has no list of features.`);
}

/** A feature stands in src, and the application has it. */
async function copy(from, to) {
  const text = renamed(readFileSync(from, 'utf8'))
    .replaceAll(/'((?:\.\.\/)+)\.\.\/src\//g, "'$1")
    .replace(/import .* from '.*\/scripts\/template\/.*\n/, '')
    .replace(/startService\(\{\}, undefined, \[\w+\]\)/, 'startService()');
  mkdirSync(dirname(to), { recursive: true });
  await write(to, text);
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

async function write(path, text) {
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
}

function capital(word) {
  return `${word[0].toUpperCase()}${word.slice(1)}`;
}
