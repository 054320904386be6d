/** Counts the occurrences of a header. Node.js drops duplicates of headers that must be unique. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) found++;
  }
  return found;
}

/** Counts separators too, unlike the parser, which underestimates many small headers. */
export function sizeOf(rawHeaders: readonly string[]): number {
  let size = rawHeaders.length * 2;
  for (const text of rawHeaders) size += text.length;
  return size;
}
