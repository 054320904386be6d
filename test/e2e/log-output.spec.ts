import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unpackEmptyDatabase } from '../support/empty-database.js';
import { SHORT_LIVED } from '../support/short-lived.js';
import { call } from './support/client.js';

/** Sends the port to the test, which cannot read it from a stalled log. Crashes on SIGUSR2. */
const PRELOAD = `import { Server } from 'node:http';
const { emit } = Server.prototype;
Server.prototype.emit = function (name, ...rest) {
  if (name === 'listening') process.send(this.address().port, () => process.channel?.unref());
  return emit.call(this, name, ...rest);
};
process.on('SIGUSR2', () => {
  throw new TypeError('a crash');
});`;
/** More than the service buffers of an unread log. */
const REQUESTS = 6_000;
const AT_ONCE = 100;
const LONG_ID = 'x'.repeat(128);

describe('A service whose log', () => {
  let folder: string;
  let settings: NodeJS.ProcessEnv;
  const running = new Set<ChildProcess>();
  const descriptors: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-output-spec-'));
    const preload = join(folder, 'preload.mjs');
    await writeFile(preload, PRELOAD);
    settings = {
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      DATABASE_DISTRIBUTION: '',
      DATABASE_DIR: join(folder, 'database'),
      PORT: '0',
      LOG_LEVEL: 'debug',
    };
    settings['NODE_OPTIONS'] = `--import=${preload}`;
  });
  beforeEach(() => unpackEmptyDatabase(join(folder, 'database', 'data')));
  afterEach(async () => {
    for (const child of running) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    await rm(join(folder, 'database'), { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = async (stdout: number | 'pipe', format: string) => {
    const env = { ...process.env, ...settings, LOG_FORMAT: format };
    const child = spawn(process.execPath, [...SHORT_LIVED, 'scripts/start.mjs'], {
      env,
      stdio: ['ignore', stdout, 'pipe', 'ipc'],
    });
    running.add(child);
    let errors = '';
    child.stderr?.on('data', (text: Buffer) => (errors += text.toString()));
    const ended = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return { code: code as number | null, errors };
    });
    const port = await Promise.race([once(child, 'message').then(([sent]) => sent as number), ended]);
    if (typeof port !== 'number') throw new Error(`It ended early: ${port.errors}`);
    return { child, ended, origin: `http://127.0.0.1:${port}` };
  };

  const fifo = async () => {
    const path = join(folder, 'fifo');
    await promisify(execFile)('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, 'w');
    await rm(path);
    descriptors.push(reader, writer);
    return { reader, writer };
  };

  /** Reads until the output matches. */
  const readUntil = async (reader: number, pattern: RegExp): Promise<string> => {
    const bytes = Buffer.alloc(65_536);
    for (let text = ''; ; await pause(10)) {
      try {
        text += bytes.toString('latin1', 0, readSync(reader, bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      if (pattern.test(text)) return text;
    }
  };

  /** Causes this many log lines. Returns the number of responses. */
  const answersTo = async (origin: string, requests: number): Promise<number> => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('latin1');
    const get = `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${LONG_ID}\r\n\r\n`;
    let answers = 0;
    for (let sent = 0; sent < requests; sent += AT_ONCE) {
      socket.write(get.repeat(AT_ONCE));
      let last = '';
      while (answers < sent + AT_ONCE) {
        const [text] = (await once(socket, 'data')) as [string];
        const parts = (last + text).split('{"status":"ok"}');
        answers += parts.length - 1;
        last = parts.at(-1) ?? ''; // an answer may arrive in two pieces
      }
    }
    socket.destroy();
    return answers;
  };

  it.each(['json', 'pretty'])(
    'nobody reads goes on, loses lines, and tells how many (%s)',
    async (format) => {
      const { reader, writer } = await fifo();
      const { child, ended, origin } = await start(writer, format);
      expect(await answersTo(origin, REQUESTS)).toBe(REQUESTS);
      const text = await readUntil(reader, /were lost[^]*\n/);
      expect(text).toMatch(/"?lines"?:\d+/);
      expect(await answersTo(origin, REQUESTS)).toBe(REQUESTS);
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    },
    120_000,
  );

  it('goes to a socket that nobody reads goes on', async () => {
    const { child, ended, origin } = await start('pipe', 'json');
    expect(await answersTo(origin, REQUESTS)).toBe(REQUESTS);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }, 120_000);

  it('has lost its reader goes on', async () => {
    const { child, ended, origin } = await start('pipe', 'json');
    child.stdout?.destroy();
    expect(await answersTo(origin, AT_ONCE)).toBe(AT_ONCE);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }, 120_000);

  it.each(['json', 'pretty'])(
    'goes to a full disk goes on, and tells a crash on standard error (%s)',
    async (format) => {
      if (!existsSync('/dev/full')) return; // only Linux has it
      const full = openSync('/dev/full', 'w');
      descriptors.push(full);
      const { child, ended, origin } = await start(full, format);
      expect(await answersTo(origin, AT_ONCE)).toBe(AT_ONCE);
      expect((await call(origin, 'GET', '/health/live')).status).toBe(200);
      child.kill('SIGUSR2');
      const { code, errors } = await ended;
      expect(code).toBe(1);
      expect(errors).toContain('Uncaught error; the service exits.');
    },
    120_000,
  );
});
