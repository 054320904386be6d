import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import { SHORT_LIVED } from '../../../test/support/short-lived.js';
import { DatabaseInUseError, openEmbeddedDatabase } from './embedded-database.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Opens the database, says so, inserts every number it is sent and confirms it, and closes when told to. */
const CHILD = `
  import { openEmbeddedDatabase } from './embedded-database.js';
  const database = await openEmbeddedDatabase(process.argv[2]).catch(({ name, message }) => {
    process.send({ refused: name, message });
    process.disconnect();
  });
  if (database) {
    const pool = new database.driver.Pool();
    process.on('message', async (n) => {
      if (n === 'close') {
        await pool.end();
        await database.close();
        process.disconnect();
      } else {
        await pool.query('INSERT INTO log VALUES ($1)', [n]);
        process.send({ inserted: n });
      }
    });
    process.send('open');
  }`;

describe('An embedded database on disk', () => {
  let workshop: string;
  let directory: string;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    workshop = await realpath(await mkdtemp(join(tmpdir(), 'processes-spec-')));
    directory = join(workshop, 'parent', 'database');
    await compileInto(workshop);
  });

  afterEach(async () => {
    await Promise.all([...children].map((child) => kill(child)));
  });

  afterAll(() => rm(workshop, { recursive: true }));

  function start(): ChildProcess {
    const child = fork(join(workshop, 'child.mjs'), [directory], { stdio: 'inherit', execArgv: SHORT_LIVED });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function query(text: string): Promise<unknown[]> {
    const database = await openEmbeddedDatabase(directory);
    const pool: Pool = new database.driver.Pool();
    const { rows } = await pool.query(text).finally(() => pool.end().then(() => database.close()));
    return rows;
  }

  const logged = async () =>
    ((await query('SELECT n FROM log ORDER BY n')) as { n: number }[]).map(({ n }) => n);

  it('is created again if the process was killed while creating it', async () => {
    const has = (name: string) => existsSync(join(directory, name));
    do {
      await rm(directory, { recursive: true, force: true });
      const child = start();
      while (!has('data.new/PG_VERSION') && !has('data')) await pause(2);
      await kill(child);
    } while (has('data')); // It was faster than the kill.

    await query('CREATE TABLE log (n int PRIMARY KEY); INSERT INTO log VALUES (0)');
    expect(await readdir(directory)).toEqual(['data']);
  }, 90_000);

  it('keeps committed data, unreadable for other users', async () => {
    await chmod(join(directory, 'data'), 0o755);
    expect(await logged()).toEqual([0]);
    const modes = await Promise.all(
      [directory, join(directory, 'data')].map(async (path) => (await stat(path)).mode),
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('refuses a second process, with the reason', async () => {
    const database = await openEmbeddedDatabase(directory);
    const child = start();
    const [answer] = await once(child, 'message');
    expect(answer).toEqual({
      refused: 'DatabaseInUseError',
      message: expect.stringContaining(
        `The embedded database in ${directory} is in use by process ${process.pid}`,
      ),
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await database.close();
  });

  it('loses no confirmed data when its process is killed, and opens again', async () => {
    const child = start();
    await once(child, 'message');
    const confirmed: number[] = [0];
    const enough = new Promise<void>((resolve) => {
      child.on('message', ({ inserted }: { inserted: number }) => {
        confirmed.push(inserted);
        if (confirmed.length === 50) resolve();
      });
    });
    for (let n = 1; n <= 500; n++) child.send(n);
    await enough;
    await kill(child);

    expect(await readdir(directory)).toContainEqual(expect.stringMatching(`^lock-${child.pid}-`));
    expect(await logged()).toEqual(expect.arrayContaining(confirmed));
    expect(await readdir(directory)).toEqual(['data']);
  });

  it('stays locked by a process that is only suspended', async () => {
    const child = start();
    await once(child, 'message');
    child.kill('SIGSTOP');
    const error = await openEmbeddedDatabase(directory).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseInUseError);
    expect(error).toMatchObject({ pid: child.pid, directory });
  });

  it('is opened by exactly one of several processes after a crash', async () => {
    const answers = await Promise.all([start(), start(), start()].map((child) => once(child, 'message')));
    const winners = answers.filter(([answer]) => answer === 'open');
    expect(winners).toHaveLength(1);
  });

  it('lets its process exit after close', async () => {
    const child = start();
    await once(child, 'message');
    child.send('close');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await readdir(directory)).toEqual(['data']);
  });

  it('reports why it cannot be opened, and releases its lock', async () => {
    await writeFile(join(directory, 'data', 'PG_VERSION'), '9\n');
    await expect(openEmbeddedDatabase(directory)).rejects.toThrow(
      `Cannot start the embedded database ${join(directory, 'data')}: `,
    );
    expect(await readdir(directory)).toEqual(['data']);
  });
});

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** A process of its own cannot run TypeScript, so it gets what it runs as JavaScript, in one file. */
async function compileInto(folder: string): Promise<void> {
  await build({
    stdin: { contents: CHILD, resolveDir: HERE },
    outfile: join(folder, 'child.mjs'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  await symlink(NODE_MODULES, join(folder, 'node_modules'));
}
