import { dayOf } from '../../common/clock.js';
import { printable } from '../../common/printable.js';
import type { ApiKey } from '../api-key.entity.js';
import { KEYS } from './arguments.js';

const HEADINGS = ['ID', 'NAME', 'OWNER', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];

/** Formats keys as a table. */
export function keysTable(keys: ApiKey[], now: Date): string {
  if (keys.length === 0) return `There are no keys yet. Issue one: ${KEYS} issue --name NAME`;
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    key.owner ?? '',
    key.hint,
    stateOf(key, now),
    dayOf(key.createdAt),
    dayOf(key.expiresAt),
    key.lastUsedAt ? minute(key.lastUsedAt) : 'never',
  ]);
  return aligned([HEADINGS, ...rows]);
}

/** Formats the details of a key, one a line. */
export function keyDetails(key: ApiKey, now: Date): string {
  return aligned([
    ['id', String(key.id)],
    ['name', key.name],
    ['owner', key.owner ?? ''],
    ['note', key.note ?? ''],
    ['key', key.hint],
    ['state', stateOf(key, now)],
    ['created', minute(key.createdAt)],
    ['expires', minute(key.expiresAt)],
    ['revoked', key.revokedAt ? minute(key.revokedAt) : ''],
    ['last used', key.lastUsedAt ? minute(key.lastUsedAt) : 'never'],
  ]);
}

/** A key as JSON for scripts. The id is a string, since not every parser is exact for an int64. */
export function keyRecord(key: ApiKey, now: Date): Record<string, string | null> {
  return {
    id: String(key.id),
    name: key.name,
    owner: key.owner,
    note: key.note,
    hint: key.hint,
    state: stateOf(key, now),
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

/** Escapes control characters, which names stored by older versions may contain: a line break would forge a row. */
function aligned(cells: string[][]): string {
  const rows = cells.map((row) => row.map(printable));
  const width = (column: number): number => Math.max(...rows.map((row) => [...(row[column] ?? '')].length));
  const widths = (rows[0] ?? []).map((_, column) => width(column));
  const pad = (cell: string, column: number): string =>
    cell + ' '.repeat((widths[column] ?? 0) - [...cell].length);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt) return 'revoked';
  return expiresAt <= now ? 'expired' : 'active';
}

const minute = (date: Date): string => `${dayOf(date)} ${date.toISOString().slice(-13, -8)} UTC`;
