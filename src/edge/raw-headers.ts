/** How often a header was sent: Node keeps only the first of those that may not be repeated. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) found++;
  }
  return found;
}
