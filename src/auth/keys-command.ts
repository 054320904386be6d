import { parseArgs } from 'node:util';
import { DAY_MS, dayOf } from '../common/clock.js';
import { int64FromText } from '../common/int64.js';
import { commandName, UsageError } from '../database/command.js';
import { keyDetails, keyRecord, keysTable } from './keys-table.js';
import type { IssuedKey, KeysService } from './keys.service.js';

export const KEYS = commandName('keys', 'auth/keys.cli');

export const USAGE = `API keys, from the command line:

  ${KEYS} issue --name NAME [--owner WHO] [--note TEXT] [--expires 90d] [--quiet]
      issues a key for NAME and shows it, only this once. It expires after 365 days by default;
      90d is 90 days, 12h is 12 hours. --quiet prints only the key
  ${KEYS} list
      lists all keys, without their secrets
  ${KEYS} show ID
      shows the details of a key; "list" shows the ids
  ${KEYS} rotate ID [--overlap 24h] [--expires 90d] [--quiet]
      issues a successor of a key; the old key keeps working for the overlap
  ${KEYS} revoke ID
      revokes a key within five seconds
  ${KEYS} prune [--older-than 30d]
      deletes keys that expired or were revoked at least that long ago

  Each command takes --json, for scripts.
`;

const OPTIONS = {
  name: { type: 'string', default: '' },
  owner: { type: 'string', default: '' },
  note: { type: 'string', default: '' },
  expires: { type: 'string' },
  overlap: { type: 'string', default: '24h' },
  'older-than': { type: 'string', default: '30d' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

type Command = (keys: KeysService) => Promise<string>;

/** Undefined asks for the usage. Throws a `UsageError` that explains the first mistake. */
export function parseCommand(args: string[]): Command | undefined {
  const { values, positionals } = parse(args);
  const [name = 'help', word, ...rest] = positionals;
  if (name === 'help' || values.help) return undefined;
  if (rest.length > 0) throw new UsageError(`One key at a time; what is "${rest.join(' ')}"?`);
  const lifeMs = values.expires === undefined ? undefined : lifetimeOf(values.expires);
  const print = (text: string, record: unknown) => (values.json ? JSON.stringify(record, null, 2) : text);
  const printIssued = (issued: IssuedKey, text: string, more?: object) => {
    const shown = `${text} It is shown this once; it expires on ${dayOf(issued.expiresAt)}.\n\n  ${issued.key}`;
    return values.quiet ? issued.key : print(shown, { ...issued, id: String(issued.id), ...more });
  };
  const id = () => idOf(name, word);
  switch (name) {
    case 'list':
      refuseWord(name, word);
      return async (keys) => {
        const [all, now] = [await keys.list(), Date.now()];
        if (all.length === 0 && !values.json) return `There are no keys yet. Issue one: ${KEYS} issue --name NAME`;
        const records = all.map((key) => keyRecord(key, now));
        return print(keysTable(all, now), records);
      };
    case 'show': {
      const shown = id();
      return async (keys) => {
        const key = await keys.find(shown);
        if (!key) throw new UsageError(`There is no key ${shown}. See: ${KEYS} list`);
        return print(keyDetails(key, Date.now()), keyRecord(key, Date.now()));
      };
    }
    case 'issue': {
      refuseWord(name, word);
      const label = lineOf(values.name.trim());
      if (!label) throw new UsageError(`Say who the key is for, in one line: ${KEYS} issue --name NAME`);
      const request = { name: label, owner: lineOf(values.owner), note: lineOf(values.note), lifeMs };
      return async (keys) => {
        const issued = await keys.issue(request);
        return printIssued(issued, `A key for ${issued.name}, number ${issued.id}.`);
      };
    }
    case 'rotate': {
      const old = id();
      const overlapMs = durationOf('--overlap', values.overlap);
      return async (keys) => {
        const issued = await keys.rotate(old, overlapMs, lifeMs);
        if (!issued) throw noWorkingKey(old);
        const hours = overlapMs / 3_600_000;
        const text = `Key ${old} keeps working for ${hours} hours at most.\nIts successor is number ${issued.id}.`;
        return printIssued(issued, text, { replaces: String(old) });
      };
    }
    case 'revoke': {
      const revoked = id();
      return async (keys) => {
        const key = await keys.find(revoked);
        if (!key || !(await keys.revoke(revoked))) throw noWorkingKey(revoked);
        const others = await keys.findWorking(key.name);
        const still = others.length > 0 ? `\nStill working under its name: ${others.join(', ')}.` : '';
        const record = { revoked: String(revoked), sameName: others.map(String) };
        return print(`Key ${revoked} is revoked: it stops working within five seconds.${still}`, record);
      };
    }
    case 'prune': {
      refuseWord(name, word);
      const olderThanMs = durationOf('--older-than', values['older-than']);
      return async (keys) => {
        const forgotten = await keys.prune(olderThanMs);
        return print(`Deleted ${forgotten} expired or revoked keys.`, { forgotten });
      };
    }
    default:
      throw new UsageError(`There is no such command: ${name}\n\n${USAGE}`);
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

/** Names appear in terminals and logs, where an invisible character could disguise one key as another. */
function lineOf(text: string): string | undefined {
  const [found] = /[\p{C}\p{Zl}\p{Zp}]/u.exec(text) ?? [];
  if (found) {
    const character = `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
    throw new UsageError(`Leave out ${character}: a name, owner or note is one line of visible characters.`);
  }
  const { length } = [...text];
  if (length > 255) throw new UsageError(`A name, owner or note has 255 characters at most; this one has ${length}.`);
  return text.trim() === '' ? undefined : text;
}

function idOf(command: string, word: string | undefined): bigint {
  const id = int64FromText(word ?? '');
  if (id !== undefined) return id;
  throw new UsageError(`Say which key, by the number that "list" shows: ${KEYS} ${command} 3`);
}

/** A surplus word is often half of a name without its quotes. */
function refuseWord(command: string, word: string | undefined): void {
  if (word === undefined) return;
  throw new UsageError(
    command === 'issue'
      ? `What is "${word}"? Put a name of several words in quotes: --name "team x"`
      : `"${command}" is about all keys; what is "${word}"?`,
  );
}

function durationOf(option: string, duration: string): number {
  const [, amount, unit] = /^(0|[1-9]\d{0,4})([dh])$/.exec(duration) ?? [];
  if (amount === undefined)
    throw new UsageError(`Say ${option} in days or hours, such as ${option} 90d or ${option} 12h`);
  return Number(amount) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
}

/** A key that is already expired when issued is a mistake. */
function lifetimeOf(duration: string): number {
  const lifeMs = durationOf('--expires', duration);
  if (lifeMs === 0) throw new UsageError('A key is valid for at least an hour: --expires 1h');
  return lifeMs;
}

function noWorkingKey(id: bigint): UsageError {
  return new UsageError(`There is no key ${id} that still works. See: ${KEYS} list`);
}
