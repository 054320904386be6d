import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { buildDocument, documentJson } from './api/document/build-document.js';
import { AppModule } from './app.module.js';
import { Clock, dayOf } from './common/clock.js';
import { runCommand, UsageError } from './common/command.js';
import { Config } from './common/config.js';
import { type Setting, SETTINGS } from './common/settings.js';
import { createAdapter } from './http/adapter.js';

const FILES: Record<string, (path: string) => string | Promise<string>> = {
  'openapi.json': openapi,
  'docs/settings.md': settingsPage,
};

const USAGE = `Say which file: ${Object.keys(FILES).join(' or ')}.`;

/** Writes a generated file, or with `--check` fails when the committed one is out of date. */
await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
  const [path = ''] = positionals;
  const text = await FILES[path]?.(path);
  if (text === undefined) throw new UsageError(USAGE);
  if (!values.check) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text)
    throw new UsageError(`${path} is out of date: generate it, and commit the result.`);
  return `${path}: ${values.check ? 'up to date' : 'written'}.`;
});

async function openapi(): Promise<string> {
  const config = new Config();
  const module = AppModule.forRoot(config, new Clock(), []);
  const app = await NestFactory.create(module, createAdapter(pino({ level: 'silent' }), config), { logger: false });
  return documentJson(buildDocument(app)); // never initialised, so nothing connects
}

/** The page with its table renewed. */
function settingsPage(path: string): string {
  const rows = Object.values<Setting>(SETTINGS).map(({ name, value = '', about }) => {
    const text = value instanceof Date ? dayOf(value) : String(value);
    return `| \`${name}\` | ${text && `\`${text}\``} | ${about} |`;
  });
  const table = ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
  const place = /(?<=<!-- prettier-ignore-start -->\n\n).*(?=\n\n<!-- prettier-ignore-end -->)/s;
  return readFileSync(path, 'utf8').replace(place, () => table);
}
