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
