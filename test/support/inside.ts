import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const PATIENCE_MS = 10_000;

/** Adds a test of something undocumented in a dependency, which fails with the file that relies on it. */
export function itFinds(inside: string, usedBy: string, holds: () => boolean | Promise<boolean>): void {
  it(`${inside}, for ${usedBy}`, async () => {
    expect(existsSync(usedBy)).toBe(true);
    const complaint = `${inside}: gone or changed. ${usedBy} relies on it: see docs/internals.md.`;
    expect((await withinPatience(holds)) ? undefined : complaint).toBeUndefined();
  });
}

/** A check that throws or does not end has found nothing. */
async function withinPatience(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  const checked = Promise.resolve()
    .then(holds)
    .catch(() => false);
  return Promise.race([checked, patience]).finally(() => clearTimeout(timer));
}
