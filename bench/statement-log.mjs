import { readFileSync, statSync } from 'node:fs';
import { query } from './database.mjs';

/** The plans of statements on animals while `use` runs, in order, as shown by EXPLAIN (ANALYZE, BUFFERS). */
export async function explainedStatements(postgres, database, use) {
  const settings = {
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
  };
  const log = await logged(postgres, database, settings, use);
  return entries(log)
    .filter((entry) => /plan:\n/.test(entry) && /\bpets\b/.test(entry))
    .map((entry) => entry.slice(entry.indexOf('plan:\n') + 'plan:\n'.length).replace(/^\t/gm, ''));
}

/** The statements between two marks, which `use` sets by calling its argument. */
export async function statementsDuring(postgres, database, use) {
  const mark = () => query(database.url, "SELECT 'mark'");
  const log = await logged(postgres, database, { log_statement: 'all' }, () => use(mark));
  const texts = entries(log)
    .map((entry) => /LOG: {2}(?:execute [^:]*|statement): ([^]*)/.exec(entry)?.[1])
    .filter(Boolean);
  const [first, last] = [texts.findIndex(isMark), texts.findLastIndex(isMark)];
  if (first === last) throw new Error("PostgreSQL's log does not contain both marks.");
  return texts.slice(first + 1, last);
}

const isMark = (text) => text.includes("'mark'");

/** Returns PostgreSQL's log while `use` runs. The settings apply to new connections to this database only. */
async function logged(postgres, { url }, settings, use) {
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings)) {
    await query(url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  const sinceNow = logSinceNow(postgres);
  try {
    await use();
    return sinceNow();
  } finally {
    for (const setting of Object.keys(settings)) await query(url, `ALTER DATABASE ${name} RESET ${setting}`);
  }
}

/** Returns a function that returns what PostgreSQL has logged since. */
export function logSinceNow({ logFile }) {
  const { size } = statSync(logFile);
  return () => readFileSync(logFile).subarray(size).toString();
}

/** Splits a log into entries, whose continuation lines begin with a tab. */
export const entries = (log) => log.split(/\n(?!\t)/);
