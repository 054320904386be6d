import type { ApiKey } from './api-key.entity.js';

const HEADINGS = ['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED'];

/** Keys as a table for people. */
export function keysTable(keys: ApiKey[], now: Date): string {
  if (keys.length === 0) return 'There are no keys yet. Make one: npm run keys -- issue --name NAME\n';
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    key.hint,
    stateOf(key, now),
    day(key.createdAt),
    day(key.expiresAt),
    key.lastUsedAt ? minute(key.lastUsedAt) : 'never',
  ]);
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => [...(row[i] ?? '')].length)),
  );
  return [HEADINGS, ...rows]
    .map((row) =>
      row
        .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
    .concat('\n');
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt) return 'revoked';
  return expiresAt <= now ? 'expired' : 'active';
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
const minute = (date: Date): string => date.toISOString().slice(0, 16).replace('T', ' ');
