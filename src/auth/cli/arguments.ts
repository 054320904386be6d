import { text } from '../../api/validation/rules/text.js';
import { commandName } from '../../cli/command-name.js';
import { UsageError } from '../../cli/usage-error.js';
import { DAY_MS } from '../../common/clock.js';
import { int64FromText } from '../../common/int64/int64.js';
import { findUnprintable } from '../../common/printable.js';

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

const MOST = 255;
const LINE = text({ minLength: 1, maxLength: MOST });

export const OPTIONS = {
  name: { type: 'string' },
  owner: { type: 'string' },
  note: { type: 'string' },
  expires: { type: 'string' },
  overlap: { type: 'string', default: '24h' },
  'older-than': { type: 'string', default: '30d' },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Names, owners and notes appear in terminals and logs, where an invisible character could disguise one key as another. */
export function requireLine(line: string, hint: string): string {
  const character = findUnprintable(line);
  if (character) {
    throw new UsageError(`Leave out ${character}: a name, owner or note is one line of visible characters.`);
  }
  const { length } = [...line];
  if (length > MOST)
    throw new UsageError(`A name, owner or note has ${MOST} characters at most; this one has ${length}.`);
  if (LINE.fromText?.(line) !== line) throw new UsageError(hint);
  return line;
}

export function requireId(command: string, word: string | undefined): bigint {
  const id = int64FromText(word ?? '');
  if (id !== undefined) return id;
  throw new UsageError(`Say which key, by the number that "list" shows: ${KEYS} ${command} 3`);
}

/** A surplus word is often half of a name without its quotes. */
export function refuseWord(command: string, word: string | undefined): void {
  if (word === undefined) return;
  throw new UsageError(
    command === 'issue'
      ? `What is "${word}"? Put a name of several words in quotes: --name "team x"`
      : `"${command}" is about all keys; what is "${word}"?`,
  );
}

export function parseDuration(option: string, duration: string): number {
  const [, amount, unit] = /^(0|[1-9]\d{0,4})([dh])$/.exec(duration) ?? [];
  if (amount === undefined) {
    throw new UsageError(`Say ${option} in days or hours, such as ${option} 90d or ${option} 12h`);
  }
  return Number(amount) * (unit === 'd' ? DAY_MS : DAY_MS / 24);
}

/** A key that is already expired when issued is a mistake. */
export function parseLifetime(duration: string): number {
  const lifeMs = parseDuration('--expires', duration);
  if (lifeMs === 0) throw new UsageError('A key is valid for at least an hour: --expires 1h');
  return lifeMs;
}
