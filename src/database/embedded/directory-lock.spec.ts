import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseInUseError, lockDirectory } from './directory-lock.js';

describe('lockDirectory', () => {
  const created: string[] = [];
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lock-spec-'));
    created.push(directory);
  });

  afterAll(() => Promise.all(created.map((path) => rm(path, { recursive: true }))));

  it('refuses a second holder, names the first one and says what to do', async () => {
    const lock = await lockDirectory(directory);
    const refusal = lockDirectory(directory);
    await expect(refusal).rejects.toBeInstanceOf(DatabaseInUseError);
    await expect(refusal).rejects.toThrow(
      `The embedded database in ${directory} is in use by process ${process.pid}, and only one process at a time can open it. ` +
        'Stop that process first, or set DATABASE_URL to a PostgreSQL server, which any number of processes can share.',
    );
    await lock.release();
  });

  it('leaves no files after release, and can be locked again', async () => {
    await (await lockDirectory(directory)).release();
    expect(await readdir(directory)).toEqual([]);
    await (await lockDirectory(directory)).release();
  });

  it('stays locked after refusing others', async () => {
    const lock = await lockDirectory(directory);
    await Promise.allSettled([lockDirectory(directory), lockDirectory(directory)]);
    await expect(lockDirectory(directory)).rejects.toBeInstanceOf(DatabaseInUseError);
    await lock.release();
  });

  it('lets exactly one of many win when a dead holder left its lock file', async () => {
    await writeFile(join(directory, 'lock-4194304-0badcafe'), '');
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => lockDirectory(directory)));
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await readdir(directory)).toHaveLength(1);
    await won[0]?.value.release();
  });

  it('does not delete files that are not locks', async () => {
    await writeFile(join(directory, 'lock-1-notes.txt'), 'mine');
    const lock = await lockDirectory(directory);
    expect(await readdir(directory)).toContain('lock-1-notes.txt');
    await lock.release();
  });

  it('distinguishes directories whose paths are longer than a socket address', async () => {
    const [one, two] = ['one', 'two'].map((name) => join(directory, 'deep'.repeat(30), name)) as [
      string,
      string,
    ];
    await mkdir(one, { recursive: true });
    await mkdir(two);
    const locks = [await lockDirectory(one), await lockDirectory(two)];
    await expect(lockDirectory(one)).rejects.toBeInstanceOf(DatabaseInUseError);
    expect(await readdir(one)).toEqual([expect.stringMatching(/^lock-/)]);
    await Promise.all(locks.map((lock) => lock.release()));
    expect(await readdir(one)).toEqual([]);
  });
});
