import { parseArgs } from 'node:util';
import { int64FromText } from '../../common/int64/int64.js';
import { DAY_MS } from '../../common/clock.js';
import { text } from '../../api/validation/rule.js';
import { findUnprintable } from '../../common/printable.js';
import { UsageError } from '../../cli/usage-error.js';
import { USAGE } from './usage.js';

/** The commands that read nothing but options. */
const OF_NO_KEY = new Set(['issue', 'list', 'prune']);
const LINE = text({ minLength: 1, maxLength: 255 });

export type Command = { readonly json: boolean; readonly quiet: boolean } & (
  | { name: 'help' }
  | { name: 'list' }
  | { name: 'issue'; for: string; owner?: string; note?: string; lifeMs?: number }
  | { name: 'show' | 'revoke'; id: bigint }
  | { name: 'rotate'; id: bigint; overlapMs: number; lifeMs?: number }
  | { name: 'prune'; olderThanMs: number }
);

/** Turns the words of the command line into a command, or says what is wrong with them. */
export function readCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  const [name = 'help', id, ...rest] = positionals;
  const { json, quiet } = values;
  const lifeMs = values.expires === undefined ? {} : { lifeMs: lifetime(values.expires) };
  if (name === 'help' || values.help) return { name: 'help', json, quiet };
  if (rest.length > 0) throw new UsageError(`One key at a time; what is "${rest.join(' ')}"?`);
  if (id !== undefined && OF_NO_KEY.has(name)) throw new UsageError(unread(name, id));
  switch (name) {
    case 'list':
      return { name, json, quiet };
    case 'issue':
      return { name, for: required(values.name), ...about(values), ...lifeMs, json, quiet };
    case 'show':
    case 'revoke':
      return { name, id: keyId(name, id), json, quiet };
    case 'rotate':
      return {
        name,
        id: keyId(name, id),
        overlapMs: duration('--overlap', values.overlap),
        ...lifeMs,
        json,
        quiet,
      };
    case 'prune':
      return { name, olderThanMs: duration('--older-than', values['older-than']), json, quiet };
    default:
      throw new UsageError(`There is no such command: ${name}\n\n${USAGE}`);
  }
}

/** A word that nobody reads is often half of a name without its quotes. */
function unread(command: string, word: string): string {
  if (command === 'issue') return `What is "${word}"? Put a name of several words in quotes: --name "team x"`;
  return `"${command}" is about all keys; what is "${word}"?`;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        owner: { type: 'string' },
        note: { type: 'string' },
        expires: { type: 'string' },
        overlap: { type: 'string', default: '24h' },
        'older-than': { type: 'string', default: '30d' },
        json: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function required(name: string | undefined): string {
  const trimmed = name?.trim() ?? '';
  refuseUnprintable(trimmed);
  if (LINE.accepts(trimmed)) return trimmed;
  throw new UsageError('Say who the key is for, in one line: npm run keys -- issue --name NAME');
}

function about({ owner, note }: { owner?: string; note?: string }): { owner?: string; note?: string } {
  for (const value of [owner, note]) {
    if (!value) continue;
    refuseUnprintable(value);
    if (!LINE.accepts(value)) throw new UsageError('Owner and note are one line of text each.');
  }
  return { ...(owner && { owner }), ...(note && { note }) };
}

/** Names, owners and notes are read in terminals and logs, where such a character could make one key look like another. */
function refuseUnprintable(text: string): void {
  const character = findUnprintable(text);
  if (!character) return;
  throw new UsageError(
    `Leave out ${character}: a name, owner or note is one line of characters that can be seen.`,
  );
}

function keyId(command: string, text: string | undefined): bigint {
  const id = text === undefined ? undefined : int64FromText(text);
  if (id === undefined) {
    throw new UsageError(`Say which key, by the number that "list" shows: npm run keys -- ${command} 3`);
  }
  return id;
}

/** A key that has ended before anybody can use it is a slip. */
function lifetime(text: string): number {
  const lifeMs = duration('--expires', text);
  if (lifeMs === 0) throw new UsageError('A key lives for an hour at least: --expires 1h');
  return lifeMs;
}

function duration(option: string, text: string): number {
  const [, amount, unit] = /^(0|[1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  if (amount === undefined)
    throw new UsageError(`Say ${option} in days or hours, such as ${option} 90d or ${option} 12h`);
  return Number(amount) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
}
