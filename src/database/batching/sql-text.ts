import { createHash } from 'node:crypto';

/** PostgreSQL truncates names to 63 bytes. */
export function statementName(description: string): string {
  if (Buffer.byteLength(description) <= 63) return description;
  return createHash('sha256').update(description).digest('base64');
}

export function list(items: string[]): string {
  return `(${items.join(', ')})`;
}

export function parameters(count: number): string {
  return list(Array.from({ length: count }, (_, i) => `$${i + 1}`));
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
