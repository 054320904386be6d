import { readFile, writeFile } from 'node:fs/promises';
import '../app.module.js'; // loads the features, and with them their settings
import { allSettings, type Setting } from '../common/config/env.decorator.js';

/** Writes the settings into docs/settings.md and .env.example, or with --check says whether they are there already. */
const PAGE = 'docs/settings.md';
const EXAMPLE = '.env.example';
const [BEGIN, END] = ['<!-- settings:begin -->', '<!-- settings:end -->'];

const [option, ...more] = process.argv.slice(2);
if ((option !== undefined && option !== '--check') || more.length > 0) {
  process.stderr.write('Usage: npm run settings writes the pages, npm run settings:check compares them.\n');
  process.exit(1);
}

const settings = [...allSettings()].flatMap(([type, ofType]) => {
  const defaults = new type() as Record<string, unknown>;
  return ofType.map((setting) => ({
    ...setting,
    value: setting.unset ?? textOf(defaults[setting.property]),
  }));
});

const page = await readFile(PAGE, 'utf8');
const [before, after] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
const pages = {
  [PAGE]: `${page.slice(0, before)}\n\n${table()}\n\n${page.slice(after)}`,
  [EXAMPLE]: example(),
};

for (const [file, text] of Object.entries(pages)) {
  if (option !== '--check') await writeFile(file, text);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(
      `${file} does not show the settings of the code. Run "npm run settings" and commit.\n`,
    );
    process.exitCode = 1;
  }
}

/** Padded as Prettier pads it. */
function table(): string {
  const rows = [
    ['Variable', 'Default', 'Meaning'],
    ...settings.map(({ name, value, unset, about }) => [`\`${name}\``, unset ?? `\`${value}\``, about]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [head, rule, ...body].join('\n');
}

function example(): string {
  const lines = settings.map(
    (setting) => `# ${setting.about.replaceAll('`', '')}\n#${setting.name}=${exampleOf(setting)}\n`,
  );
  return `# Copy this file to .env and change what you need. Every variable is optional; an empty one counts as absent.\n\n${lines.join('\n')}`;
}

function exampleOf({ example, value }: Setting & { value: string }): string {
  return example ?? value;
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}
