import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, databaseDistribution, type TestDatabase } from '../support/database.js';
import { describeInside } from './support/deployment.js';

const COPIED = ['src', 'scripts', 'test', 'package.json', 'jest.config.mjs', '.swcrc', '.prettierrc.json'];
/** A change of the guide: the file, which may have an asterisk in its name, and the lines. */
const CHANGE = /In `(src\/clinics\/[^`]+|test\/[^`]+)`:\n\n```diff\n(.*?)```/gs;
const guide = readFileSync('docs/adding-a-module.md', 'utf8');

// A table that refers to a distributed one needs a further migration.
(databaseDistribution ? describe.skip : describeInside)('The guide to adding a module', () => {
  let copy: string;
  let database: TestDatabase;
  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'guide-'));
    database = await createDatabase();
    for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  });
  afterAll(async () => {
    rmSync(copy, { recursive: true });
    await database.drop();
  });

  it('makes a feature that passes its own tests, and those of the document', () => {
    run('scripts/generate.mjs', 'clinics', 'clinic');
    const changes = [...guide.matchAll(CHANGE)];
    expect(changes).toHaveLength(guide.split('```diff').length - 1);
    for (const [, path, lines] of changes) change(path!, lines!);
    const tests = ['e2e/clinics', 'e2e/entities', 'e2e/document'];
    run('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand', ...tests);
  }, 120_000);

  function run(...args: string[]): void {
    // Jest deletes the folder of its server at the end, which must not be that of this test.
    const env = { ...process.env, DATABASE_URL: database.url, TEST_SERVER_FOLDER: join(copy, 'server') };
    // While it waits, no time limit of Jest can end this test.
    const options = { cwd: copy, env, encoding: 'utf8', timeout: 110_000, killSignal: 'SIGKILL' } as const;
    const { status, stderr, error } = spawnSync(process.execPath, args, options);
    if (status !== 0) throw new Error(stderr, { cause: error });
  }

  /** Each part of a change, up to @@, has its place exactly once. */
  function change(path: string, lines: string): void {
    const folder = join(copy, dirname(path));
    const name = readdirSync(folder).find((each) => each.endsWith(basename(path).replace('*', '')));
    const file = join(folder, name!);
    let text = readFileSync(file, 'utf8');
    for (const part of lines.split('@@\n')) {
      const without = (sign: string) => part.replaceAll(new RegExp(`^\\${sign}.*\\n`, 'gm'), '').replaceAll(/^./gm, '');
      const around = text.split(without('+'));
      expect([path, part, around.length]).toEqual([path, part, 2]);
      text = around.join(without('-'));
    }
    writeFileSync(file, text);
  }
});
