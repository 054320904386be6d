import { readFileSync } from 'node:fs';
import { dayOf } from './common/clock.js';
import { type Setting, SETTINGS } from './common/settings.js';
import { runCommand } from './database/command.js';
import { writeOrCheck } from './generated-files.js';

const PAGE = 'docs/settings.md';
const BEGIN = '<!-- settings:begin -->';
const END = '<!-- settings:end -->';

await runCommand(async () => {
  const settings: Setting[] = Object.values(SETTINGS);
  const [before, rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  return writeOrCheck({
    [PAGE]: `${before}${BEGIN}\n\n${tableOf(settings)}\n\n${END}${rest.split(END)[1]}`,
    '.env.example': exampleOf(settings),
  });
});

/** Pads the cells as Prettier does. */
function tableOf(settings: Setting[]): string {
  const rows = [
    ['Variable', 'Default', 'Meaning'],
    ...settings.map((setting) => [`\`${setting.name}\``, setting.unset ?? `\`${defaultOf(setting)}\``, setting.about]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [head, ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

function exampleOf(settings: Setting[]): string {
  const lines = settings.map(
    (setting) => `# ${setting.about.replaceAll('`', '')}\n#${setting.name}=${setting.example ?? defaultOf(setting)}\n`,
  );
  return `# Copy this file to .env and change what you need. Every variable is optional; an empty one counts as absent.\n\n${lines.join('\n')}`;
}

function defaultOf({ value }: Setting): string {
  return value instanceof Date ? dayOf(value) : String(value);
}
