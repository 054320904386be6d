import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from './support/client.js';
import { createDatabase, type TestDatabase } from './support/database.js';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** The commands as a person runs them: built, in processes of their own. */
describe('The commands', () => {
  let folder: string;
  let database: TestDatabase | undefined;
  let environment: NodeJS.ProcessEnv;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
    if (process.env['DATABASE_URL']) database = await createDatabase();
    const { connection } = database ?? {};
    environment = {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: connection?.kind === 'server' ? connection.url : '',
      DATABASE_DIR: join(folder, 'database'),
      PORT: '0',
      LOG_FORMAT: 'json',
    };
    await run(['openapi.cli', '--check']); // builds, if that is needed
  }, 120_000);

  afterEach(async () => {
    for (const child of running) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const launch = (script: string, args: string[], settings: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [script, ...args], { env: { ...environment, ...settings } });
    running.add(child);
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.on('data', (text: Buffer) => (ended.out += text.toString()));
    child.stderr.on('data', (text: Buffer) => (ended.err += text.toString()));
    const end = new Promise<Ended>((resolve) => {
      child.on('close', (code) => {
        running.delete(child);
        resolve(Object.assign(ended, { code }));
      });
    });
    return { child, end, ended };
  };
  const run = (args: string[], settings?: NodeJS.ProcessEnv) => launch('scripts/run.mjs', args, settings).end;
  const keys = (...args: string[]) => run(['auth/keys.cli', ...args]);

  /** Starts the service and waits until it has said all it has to say. */
  const start = async (lastWords: RegExp) => {
    const service = launch('scripts/start.mjs', []);
    await new Promise<void>((resolve, reject) => {
      service.child.stdout.on('data', () => {
        if (lastWords.test(service.ended.out)) resolve();
      });
      void service.end.then(({ out, err }) => reject(new Error(`It ended early:\n${out}${err}`)));
    });
    const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.ended.out) ?? [];
    return { ...service, origin };
  };

  it('npm start on the embedded database prints a key the first time, and keeps its animals', async () => {
    if (database) return;
    const settled = /curl .*\n|npm run keys/;
    const first = await start(settled);
    const [, key = '', url = ''] =
      /curl -i -H 'Authorization: Bearer (\S+)' (\S+)\n/.exec(first.ended.out) ?? [];
    const headers = { authorization: `Bearer ${key}` };
    expect(url).toBe(`${first.origin}/v1/pets`);
    const body = { name: 'Rex', categoryId: 1 };
    const created = await call(first.origin, 'POST', '/v1/pets', { headers, body });
    expect(created.status).toBe(201);

    const second = await launch('scripts/start.mjs', []).end;
    expect(second.code).toBe(1);
    expect(second.err).toContain('only one process at a time can open it');
    expect((await keys('list')).err).toContain('Stop that process first');

    first.child.kill('SIGTERM');
    await first.end;
    const again = await start(settled);
    expect(again.ended.out).not.toContain('pets_test_');
    expect((await call(again.origin, 'GET', '/v1/pets', { headers })).text).toBe(`[${created.text}]`);
    again.child.kill('SIGTERM');
    await again.end;
  }, 60_000);

  it('npm run keys issues, lists, shows, rotates, revokes and prunes', async () => {
    const issued = await keys(
      'issue',
      '--name',
      'team-x',
      '--owner',
      'X',
      '--note',
      'try',
      '--expires',
      '90d',
    );
    expect(issued).toMatchObject({ code: 0, err: '' });
    const day = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
    const text = `^A key for team-x, number (\\d+)\\. It is shown this once; it expires on ${day}\\.\n\n  pets_test_\\w{38}\n$`;
    const [, id = ''] = new RegExp(text).exec(issued.out) ?? [];
    expect(id).not.toBe('');

    const quiet = await keys('rotate', id, '--overlap', '2h', '--quiet');
    expect(quiet).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^pets_test_\w{38}\n$/) });

    const listed = await keys('list');
    expect(listed.out).toMatch(/^ID +NAME +OWNER +KEY +STATE +CREATED +EXPIRES +LAST USED\n/);
    expect(listed.out).toContain(quiet.out.slice(0, 14));
    expect(listed.out).not.toContain(quiet.out.trim());
    const all = JSON.parse((await keys('list', '--json')).out) as Record<string, unknown>[];
    expect(all.filter(({ name }) => name === 'team-x')).toEqual([
      expect.objectContaining({ id, owner: 'X', note: 'try', state: 'active', lastUsedAt: null }),
      expect.objectContaining({ owner: 'X', note: 'try', state: 'active' }),
    ]);

    expect(await keys('revoke', id)).toMatchObject({ code: 0, out: expect.stringContaining('is revoked') });
    expect((await keys('show', id)).out).toMatch(/^state +revoked$/m);
    expect(await keys('revoke', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no key'),
    });
    expect(await keys('rotate', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no key'),
    });
    expect((await keys('prune', '--older-than', '0d', '--json')).out).toMatch(/"forgotten": [1-9]/);
    expect(await keys('show', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no key'),
    });
  }, 120_000);

  it.each([
    [['issue'], 'Say who the key is for, in one line'],
    [['issue', '--name', ' '], 'Say who the key is for'],
    [['issue', '--name', 'x', '--expires', 'soon'], '--expires 90d or --expires 12h'],
    [['issue', '--name', 'x', '--expired', '1d'], "Unknown option '--expired'"],
    [['revoke'], 'Say which key'],
    [['revoke', 'x'], 'Say which key'],
    [['revoke', '1', '2'], 'One key at a time'],
    [['rotate', '1', '--overlap', '1w'], '--overlap 90d or --overlap 12h'],
    [['isue'], 'There is no such command: isue'],
  ])('npm run keys -- %j tells what to do', async (args, hint) => {
    const ended = await keys(...args);
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: '' });
    expect(ended.err).toContain(hint);
  });

  it('npm run openapi:check finds the committed document current', async () => {
    expect(await run(['openapi.cli', '--check'])).toMatchObject({ code: 0, err: '' });
  });

  it('npm run keys alone tells what there is', async () => {
    expect(await keys()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('issue --name NAME'),
    });
  });

  it('a start with wrong settings lists all of them and makes nothing', async () => {
    const { code, out, err } = await launch('scripts/start.mjs', [], { PORT: 'x', KEY_ENVIRONMENT: 'y' }).end;
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'The configuration is not valid:\n  - PORT must be a port number from 0 to 65535\n  - KEY_ENVIRONMENT must be live or test\n',
    });
  });

  it('a start on a port in use says so', async () => {
    const first = await start(/explains itself/);
    const { port } = new URL(first.origin);
    const { code, err } = await launch('scripts/start.mjs', [], {
      PORT: port,
      DATABASE_DIR: join(folder, 'other'),
    }).end;
    first.child.kill('SIGTERM');
    await first.end;
    expect(code).toBe(1);
    expect(err).toContain(`Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  }, 60_000);

  it.each([
    ['says nothing', ''],
    ['has sent half of a request', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n'],
    ['owes a body', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{'],
  ])(
    'SIGTERM ends the service, also while a client %s',
    async (_, sent) => {
      const service = await start(/explains itself|Server listening/);
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(sent);
      await call(service.origin, 'GET', '/health/live');
      const began = Date.now();
      service.child.kill('SIGTERM');
      await service.end;
      socket.destroy();
      expect(Date.now() - began).toBeLessThan(10_000);
    },
    60_000,
  );
});
