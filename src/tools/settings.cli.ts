import { readFile } from 'node:fs/promises';
import '../app.module.js'; // loads the features, and with them their settings
import { allSettings, type Setting } from '../common/config/env.decorator.js';
import { generateFiles, replaceBetween } from './generate-files.js';

const PAGE = 'docs/settings.md';
const CHART = 'docker/helm/values.schema.json';

interface SettingWithDefault extends Setting {
  readonly value: string;
}

await generateFiles('settings', async () => {
  const settings = [...allSettings()].flatMap(([type, ofType]) => {
    const defaults = new type() as Record<string, unknown>;
    return ofType.map((setting) => ({
      ...setting,
      value: setting.unset ?? textOf(defaults[setting.property]),
    }));
  });
  const page = await readFile(PAGE, 'utf8');
  return {
    [PAGE]: replaceBetween('settings', page, tableOf(settings)),
    '.env.example': exampleOf(settings),
    [CHART]: schemaOf(await readFile(CHART, 'utf8'), settings),
  };
});

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}

/** Pads the cells as Prettier does. */
function tableOf(settings: SettingWithDefault[]): string {
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

/** The chart accepts the names of settings only. */
function schemaOf(chart: string, settings: Setting[]): string {
  const schema = JSON.parse(chart) as { definitions: { setting: { enum: string[] } } };
  schema.definitions.setting.enum = settings.map(({ name }) => name);
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function exampleOf(settings: SettingWithDefault[]): string {
  const lines = settings.map(
    ({ name, about, example, value }) => `# ${about.replaceAll('`', '')}\n#${name}=${example ?? value}\n`,
  );
  return `# Copy this file to .env and change what you need. Every variable is optional; an empty one counts as absent.\n\n${lines.join('\n')}`;
}
