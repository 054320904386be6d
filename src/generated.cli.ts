import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { buildDocument, documentJson } from './api/document/build-document.js';
import { AppModule } from './app.module.js';
import { Clock, dayOf } from './common/clock.js';
import { runCommand, UsageError } from './common/command.js';
import { Config } from './common/config.js';
import { createLogger } from './common/log.js';
import { type Setting, SETTINGS } from './common/settings.js';
import { createAdapter } from './http/adapter.js';

const PAGE = 'docs/settings.md';
const settings: Setting[] = Object.values(SETTINGS);

const FILES: Record<string, () => string | Promise<string>> = {
  'openapi.json': openapi,
  [PAGE]: settingsPage,
  '.env.example': settingsExample,
};

const USAGE = `Say which files: ${Object.keys(FILES).join(', ')}.`;

/** Writes generated files, or with `--check` fails when a committed one is out of date. */
await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
  for (const path of positionals) {
    const text = await FILES[path]?.();
    if (text === undefined) throw new UsageError(USAGE);
    if (!values.check) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text)
      throw new UsageError(`${path} is out of date: generate it, and commit the result.`);
  }
  return `${positionals.join(' and ')}: ${values.check ? 'up to date' : 'written'}.`;
});

async function openapi(): Promise<string> {
  const config = new Config({ logLevel: 'silent' });
  const module = AppModule.forRoot(config, new Clock(), []);
  const app = await NestFactory.create(module, createAdapter(createLogger(config), config), { logger: false });
  return documentJson(buildDocument(app)); // never initialised, so nothing connects
}

/** The page with its table renewed. */
function settingsPage(): string {
  const rows = settings.map(
    (setting) => `| \`${setting.name}\` | ${setting.unset ?? `\`${defaultOf(setting)}\``} | ${setting.about} |`,
  );
  const table = ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
  const place = /(?<=<!-- prettier-ignore-start -->\n\n).*(?=\n\n<!-- prettier-ignore-end -->)/s;
  return readFileSync(PAGE, 'utf8').replace(place, () => table);
}

function settingsExample(): string {
  const lines = settings.map(
    (setting) => `# ${setting.about.replaceAll('`', '')}\n#${setting.name}=${setting.example ?? defaultOf(setting)}\n`,
  );
  return `# Copy this file to .env and change what you need. Every variable is optional; an empty one counts as absent.\n\n${lines.join('\n')}`;
}

function defaultOf({ value }: Setting): string {
  return value instanceof Date ? dayOf(value) : String(value);
}
