// Renews the table of docs/settings.md; with --check, fails if it is out of date. Needs `npm run build`.
import { readFileSync } from 'node:fs';
import { writeOrCheck } from './support/generated.mjs';

const PAGE = 'docs/settings.md';
const { dayOf } = await import('../dist/common/clock.js');
const { SETTINGS } = await import('../dist/common/settings.js');

const rows = Object.values(SETTINGS).map(({ name, value = '', about }) => {
  const text = value instanceof Date ? dayOf(value) : String(value);
  return `| \`${name}\` | ${text && `\`${text}\``} | ${about} |`;
});
const table = ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
const place = /(?<=<!-- prettier-ignore-start -->\n\n).*(?=\n\n<!-- prettier-ignore-end -->)/s;
const page = readFileSync(PAGE, 'utf8').replace(place, () => table);
writeOrCheck(PAGE, page, 'npm run settings');
