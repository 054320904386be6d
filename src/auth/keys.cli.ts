import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DAY_MS, dayOf } from '../common/clock.js';
import { runCommand, UsageError } from '../common/command.js';
import { int64FromText } from '../common/int64.js';
import type { ApiKey } from './api-key.entity.js';
import type { IssuedKey, KeysService } from './keys.service.js';

/** The image has neither npm nor the scripts. */
const PROGRAM = existsSync('scripts') ? 'npm run keys --' : 'node dist/auth/keys.cli.js';

const USAGE = `API keys: ${PROGRAM} COMMAND

  issue --name NAME [--read-only] [--owner WHO] [--note TEXT] [--expires 90d]
                                             shows a new key, only this once
  list                                       all keys, without their secrets
  show ID                                    the details of a key
  rotate ID [--overlap 24h] [--expires 90d]  shows a successor; the old key works for the overlap
  revoke ID                                  ends a key within five seconds
  prune [--older-than 30d]                   deletes keys that have ended at least that long ago

90d is 90 days, 12h is 12 hours. A key expires after 365 days by default.
A key with --read-only cannot change anything, and neither can its successors.
For scripts, each command takes --json; issue and rotate take --quiet, which prints only the key.`;

const HOUR_MS = DAY_MS / 24;

const OPTIONS = {
  name: { type: 'string', default: '' },
  'read-only': { type: 'boolean', default: false },
  owner: { type: 'string', default: '' },
  note: { type: 'string', default: '' },
  expires: { type: 'string' },
  overlap: { type: 'string', default: '24h' },
  'older-than': { type: 'string', default: '30d' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;
/** What a command prints: a text for people, or a record for scripts. Undefined when there is no such key. */
type Output = readonly [text: string, record: object] | undefined;

const HEADINGS = ['ID', 'NAME', 'OWNER', 'KEY', 'STATE', 'ACCESS', 'CREATED', 'EXPIRES', 'LAST USED'];

const COMMANDS: Readonly<Record<string, (keys: KeysService, request: Request) => Promise<Output>>> = {
  async issue(keys, request) {
    const issued = await keys.issue(request);
    return shownOnce(issued, `A key for ${issued.name}, number ${issued.id}.`);
  },

  async list(keys) {
    const records = (await keys.list()).map(recordOf);
    const rows = records.map(({ id, name, owner, hint, state, readOnly, createdAt, expiresAt, lastUsedAt }) => {
      const access = readOnly ? 'read-only' : 'full';
      return [id, name, owner, hint, state, access, dayOf(createdAt), dayOf(expiresAt), lastUsedAt];
    });
    return [aligned([HEADINGS, ...rows]), records];
  },

  async show(keys, { id }) {
    const record = (await keys.list()).map(recordOf).find((key) => key.id === String(id));
    return record && [aligned(Object.entries(record)), record];
  },

  async rotate(keys, { id, overlapMs, lifeMs }) {
    const issued = await keys.rotate(id, overlapMs, lifeMs);
    if (!issued) return undefined;
    const text = `Key ${id} keeps working for ${overlapMs / HOUR_MS} hours at most.\nIts successor is number ${issued.id}.`;
    return shownOnce(issued, text, { replaces: String(id) });
  },

  async revoke(keys, { id }) {
    if (!(await keys.revoke(id))) return undefined;
    return [`Key ${id} is revoked: it stops working within five seconds.`, { revoked: String(id) }];
  },

  async prune(keys, { olderThanMs }) {
    const forgotten = await keys.prune(olderThanMs);
    return [`Deleted ${forgotten} expired or revoked keys.`, { forgotten }];
  },
};
const OF_ONE_KEY = new Set(['show', 'rotate', 'revoke']);

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [command = 'help', ...words] = positionals;
  if (command === 'help') return USAGE;
  const run = Object.hasOwn(COMMANDS, command) && COMMANDS[command];
  if (!run) throw new UsageError(`There is no such command: ${command}\n\n${USAGE}`);
  const request = requestOf(command, words, values);
  // These take most of a second to load, which a mistake need not wait for.
  const { withModule } = await import('../database/command.js');
  const { KeysModule } = await import('./keys.module.js');
  const { KeysService } = await import('./keys.service.js');
  const output = await withModule(KeysModule, (context) => run(context.get(KeysService), request));
  const which = command === 'show' ? request.id : `${request.id} that still works`;
  if (!output) throw new UsageError(`There is no key ${which}. See the list.`);
  const [text, record] = output;
  if (values.quiet && 'key' in record) return String(record.key);
  return values.json ? JSON.stringify(record, null, 2) : text;
});

type Request = ReturnType<typeof requestOf>;
type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Checks all words and options before the database is opened. */
function requestOf(command: string, words: string[], values: Options) {
  const id = OF_ONE_KEY.has(command) ? int64FromText(words.shift() ?? '') : 0n;
  if (id === undefined) throw new UsageError(`Say which key, by the number that the list shows: ${command} 3`);
  if (words.length > 0) throw new UsageError(`What is "${words.join(' ')}"? Text of several words needs quotes.`);
  const { name, owner, note, 'read-only': readOnly, expires } = values;
  if (command === 'issue' && !name.trim()) throw new UsageError('Say who the key is for: issue --name NAME');
  if (command === 'rotate' && readOnly)
    throw new UsageError('A rotation cannot change what a key may do: issue a new key with --read-only.');
  return {
    id,
    name: lineOf(name),
    owner: lineOf(owner) || null,
    note: lineOf(note) || null,
    readOnly,
    lifeMs: expires === undefined ? undefined : durationOf('--expires', expires, HOUR_MS),
    overlapMs: durationOf('--overlap', values.overlap),
    olderThanMs: durationOf('--older-than', values['older-than']),
  };
}

/** Names appear in terminals and logs, where an invisible character could disguise one key as another. */
function lineOf(text: string): string {
  if (/^[^\p{C}\p{Zl}\p{Zp}]{0,255}$/u.test(text.trim())) return text.trim();
  throw new UsageError('A name, owner or note is one line of at most 255 visible characters.');
}

function durationOf(option: string, duration: string, least = 0): number {
  const [, amount, unit] = /^(0|[1-9]\d{0,4})([dh])$/.exec(duration) ?? [];
  const ms = Number(amount) * (unit === 'd' ? DAY_MS : HOUR_MS);
  if (ms >= least) return ms;
  const limit = least > 0 ? ', at least 1h' : '';
  throw new UsageError(`Say ${option} in days or hours${limit}, such as ${option} 90d or ${option} 12h`);
}

function shownOnce({ id, key, name, readOnly, expiresAt }: IssuedKey, text: string, more?: object): Output {
  const access = readOnly ? ' It may only read.' : '';
  const shown = `${text}${access} It is shown this once; it expires on ${dayOf(expiresAt)}.\n\n  ${key}`;
  return [shown, { id: String(id), key, name, readOnly, expiresAt, ...more }];
}

/** What is shown of a key. The id is a string, since not every parser is exact for an int64. */
function recordOf({ id, hash: _hash, originId: _originId, ...key }: ApiKey) {
  const state = key.revokedAt ? 'revoked' : key.expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
  return { id: String(id), state, ...key };
}

function aligned(rows: (string | boolean | Date | null)[][]): string {
  const texts = rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString() : String(cell ?? '-'))));
  const widths = texts[0]!.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)));
  const line = (row: string[]): string => row.map((text, column) => text.padEnd(widths[column]!)).join('  ');
  return texts.map((row) => line(row).trimEnd()).join('\n');
}
