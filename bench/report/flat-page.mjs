import { spread, table } from './markdown.mjs';

export function flatPage({ pages, statements, sides, form, machine }) {
  const [few, many] = sides.map(({ database }) => `${database.rows.toLocaleString('en')} rows`);
  const rows = pages.map(({ title, ...page }) => [
    title,
    spread(page.few, 0),
    spread(page.many, 0),
    spread(page.ratio, 2),
  ]);
  return [
    '# What a page costs with few rows and with many',
    `Made by \`npm run bench -- --flat\`, which writes this page. ${machine}`,
    `Requests per second for a page of 20; ${form.flatRounds} rounds of ${form.seconds} s each, interleaved; the median, and in ` +
      'brackets the lowest and the highest. Positions vary a little, so that requests do not share a statement.',
    table(['', few, many, 'ratio'], rows),
    '## Statements',
    table(
      ['', 'requests', 'statements', 'besides, by the clock'],
      statements.map(({ title, requests, count, byTheClock }) => [title, requests, count, byTheClock]),
    ),
    'Requests one after the other, counted in the log of PostgreSQL. By the clock go the look-up of the key, the note of its ' +
      'last use, and the heartbeat: every so many seconds, however many requests there are.',
    '## Plans',
    'What PostgreSQL did with the statements that the service sent (`auto_explain`, with `ANALYZE` and `BUFFERS`).',
    ...pages.flatMap(({ title }, i) =>
      sides.flatMap(({ plans, database }) => [
        `### ${database.rows.toLocaleString('en')} rows: ${title}`,
        `\`\`\`text\n${plans[i].trimEnd()}\n\`\`\``,
      ]),
    ),
  ].join('\n\n');
}
