// Adds a feature: `npm run generate -- clinics` copies scripts/template to src/clinics under its names, and its test.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';

const USAGE = 'Usage: npm run generate -- <plural, one lower-case word> [--singular <word>]';
const root = join(import.meta.dirname, '..');
const template = join(root, 'scripts/template');
const appModule = join(root, 'src/app.module.ts');
const now = Date.now();

const { plural, singular } = readNames();
const files = [
  ...readdirSync(template, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ from: join(template, name), to: join(root, 'src', plural, renamed(name)) })),
  { from: join(root, 'test/e2e/samples.spec.ts'), to: join(root, 'test/e2e', `${plural}.spec.ts`) },
];
const taken = [join(root, 'src', plural), ...files.map(({ to }) => to)].find(existsSync);
if (taken) giveUp(`${taken} exists.`);

const registered = withFeature(readFileSync(appModule, 'utf8'));
for (const { from, to } of files) await write(to, asFeature(renamed(readFileSync(from, 'utf8'))));
await write(appModule, registered);

process.stdout.write(`Written to src/${plural}, test/e2e/${plural}.spec.ts and src/app.module.ts. Next:
  1. Put in your fields and rules: entity and migration, dto, repository, service, test.
  2. npm test -- ${plural}
  3. npm run openapi && npm run client && npm run guide
`);

function readNames() {
  try {
    const { positionals, values } = parseArgs({
      options: { singular: { type: 'string' } },
      allowPositionals: true,
    });
    const [plural = '', ...more] = positionals;
    const { singular = singularOf(plural) } = values;
    const areWords = [plural, singular].every((word) => /^[a-z]+$/.test(word));
    if (!areWords || plural === singular || more.length > 0) giveUp(USAGE);
    return { plural, singular };
  } catch (error) {
    return giveUp(`${error.message}\n${USAGE}`);
  }
}

/** The same word where English has another rule, such as for people. */
function singularOf(plural) {
  return plural
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss)es$/, '$1')
    .replace(/s$/, '');
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

/** A feature stands in src, and the application has it. */
function asFeature(text) {
  return text
    .replaceAll(/'((?:\.\.\/)+)\.\.\/src\//g, "'$1")
    .replace(/import .* from '.*\/scripts\/template\/.*\n/, '')
    .replace(/startService\(\{\}, undefined, \[\w+\]\)/, 'startService()');
}

function withFeature(text) {
  const module = `${capital(plural)}Module`;
  const line = `import { ${module} } from './${plural}/${plural}.module.js';\n`;
  const end = text.indexOf(';\n', text.lastIndexOf('\nimport ')) + 2;
  const code = text.slice(end).replace(/(@Module\(\{\s*imports: \[[^\]]*)\]/, `$1, ${module}]`);
  if (!code.includes(module)) giveUp('src/app.module.ts has no list of features.');
  return `${text.slice(0, end)}${line}${code}`;
}

async function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
}

function capital(word) {
  return `${word[0].toUpperCase()}${word.slice(1)}`;
}

function giveUp(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
