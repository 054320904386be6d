import { dayOf } from '../common/clock.js';
import type { ApiKey } from './api-key.entity.js';

/** A key for scripts. The id is a string, since not every parser is exact for an int64. */
export function keyRecord(key: ApiKey, now: number): Record<string, string | null> {
  const { id, name, owner, note, hint, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return {
    id: String(id),
    name,
    owner,
    note,
    hint,
    state: revokedAt ? 'revoked' : expiresAt.getTime() <= now ? 'expired' : 'active',
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

export function keysTable(keys: ApiKey[], now: number): string {
  const rows = keys.map((key) => {
    const { id, name, owner, hint, state } = keyRecord(key, now);
    const used = key.lastUsedAt ? minuteOf(key.lastUsedAt) : 'never';
    return [id, name, owner, hint, state, dayOf(key.createdAt), dayOf(key.expiresAt), used];
  });
  return aligned([['ID', 'NAME', 'OWNER', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'], ...rows]);
}

export function keyDetails(key: ApiKey, now: number): string {
  const { id, name, owner, note, hint, state } = keyRecord(key, now);
  return aligned([
    ...Object.entries({ id, name, owner, note, key: hint, state }),
    ['created', minuteOf(key.createdAt)],
    ['expires', minuteOf(key.expiresAt)],
    ['revoked', key.revokedAt && minuteOf(key.revokedAt)],
    ['last used', key.lastUsedAt ? minuteOf(key.lastUsedAt) : 'never'],
  ]);
}

type Cell = string | null | undefined;

function aligned(rows: Cell[][]): string {
  const width = (cell: Cell) => [...(cell ?? '')].length;
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
  const pad = (cell: Cell, column: number) => (cell ?? '') + ' '.repeat(widths[column]! - width(cell));
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

const minuteOf = (date: Date): string => `${dayOf(date)} ${date.toISOString().slice(-13, -8)} UTC`;
