/** In all lines of the head: Node.js drops duplicates of some headers, and some versions fail to list one named `__proto__`. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) found++;
  return found;
}
