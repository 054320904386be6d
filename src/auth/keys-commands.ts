import { dayOf } from '../common/clock.js';
import { UsageError } from '../common/command.js';
import type { ApiKey } from './api-key.entity.js';
import type { IssuedKey, IssueRequest, KeysService } from './keys.service.js';

export interface Input extends IssueRequest {
  readonly id: bigint;
  readonly overlapMs: number;
  readonly olderThanMs: number;
}

/** What a command prints: for people, and for scripts. `key` is a new key. */
interface Output {
  readonly text: string;
  readonly record: unknown;
  readonly key?: string;
}

export const COMMANDS: Readonly<Record<string, (keys: KeysService, input: Input) => Promise<Output>>> = {
  async issue(keys, input) {
    const issued = await keys.issue(input);
    return shownOnce(issued, `A key for ${issued.name}, number ${issued.id}.`);
  },

  async list(keys) {
    const records = (await keys.list()).map(keyRecord);
    return { text: table(records), record: records };
  },

  async show(keys, { id }) {
    const key = await keys.find(id);
    if (!key) throw new UsageError(`There is no key ${id}. See the list.`);
    const record = keyRecord(key);
    return { text: aligned(Object.entries(record)), record };
  },

  async rotate(keys, { id, overlapMs, lifeMs }) {
    const issued = await keys.rotate(id, overlapMs, lifeMs);
    if (!issued) throw noWorkingKey(id);
    const hours = overlapMs / 3_600_000;
    const text = `Key ${id} keeps working for ${hours} hours at most.\nIts successor is number ${issued.id}.`;
    return shownOnce(issued, text, { replaces: String(id) });
  },

  async revoke(keys, { id }) {
    if (!(await keys.revoke(id))) throw noWorkingKey(id);
    const all = (await keys.list()).map(keyRecord);
    const name = all.find((key) => key.id === String(id))?.name;
    const sameName = all.filter((key) => key.name === name && key.state === 'active').map((key) => key.id);
    const others = sameName.length > 0 ? `\nStill working under its name: ${sameName.join(', ')}.` : '';
    const text = `Key ${id} is revoked: it stops working within five seconds.${others}`;
    return { text, record: { revoked: String(id), sameName } };
  },

  async prune(keys, { olderThanMs }) {
    const forgotten = await keys.prune(olderThanMs);
    return { text: `Deleted ${forgotten} expired or revoked keys.`, record: { forgotten } };
  },
};

function shownOnce({ id, key, name, expiresAt }: IssuedKey, text: string, more?: object): Output {
  const shown = `${text} It is shown this once; it expires on ${dayOf(expiresAt)}.\n\n  ${key}`;
  return { text: shown, record: { id: String(id), key, name, expiresAt, ...more }, key };
}

function noWorkingKey(id: bigint): UsageError {
  return new UsageError(`There is no key ${id} that still works. See the list.`);
}

type KeyRecord = ReturnType<typeof keyRecord>;

/** What is shown of a key. The id is a string, since not every parser is exact for an int64. */
function keyRecord({ id, hash: _hash, originId: _originId, ...key }: ApiKey) {
  const state = key.revokedAt ? 'revoked' : key.expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
  return { id: String(id), state, ...key };
}

function table(keys: KeyRecord[]): string {
  const rows = keys.map(({ id, name, owner, hint, state, createdAt, expiresAt, lastUsedAt }) => {
    return [id, name, owner, hint, state, dayOf(createdAt), dayOf(expiresAt), lastUsedAt];
  });
  return aligned([['ID', 'NAME', 'OWNER', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'], ...rows]);
}

function aligned(rows: (string | Date | null)[][]): string {
  const texts = rows.map((row) => row.map((cell) => (cell instanceof Date ? cell.toISOString() : (cell ?? '-'))));
  const widths = texts[0]!.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)));
  const line = (row: string[]): string => row.map((text, column) => text.padEnd(widths[column]!)).join('  ');
  return texts.map((row) => line(row).trimEnd()).join('\n');
}
