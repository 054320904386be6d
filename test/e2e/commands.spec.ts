import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { unpackEmptyDatabase } from '../support/empty-database.js';
import { SHORT_LIVED } from '../support/short-lived.js';
import { call } from './support/client.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { describeInside } from './support/deployment.js';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** The commands as a person runs them: built, in processes of their own. */
describeInside('The commands', () => {
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
      DATABASE_DIRECT_URL: connection?.kind === 'server' ? connection.directUrl : '',
      DATABASE_DIR: join(folder, 'database'),
      PORT: '0',
      LOG_FORMAT: 'json',
    };
    await unpackEmptyDatabase(join(folder, 'database', 'data'));
    await launch('scripts/build.mjs', []).end;
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
    const child = spawn(process.execPath, [...SHORT_LIVED, script, ...args], {
      env: { ...environment, ...settings },
    });
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
  const start = async (lastWords: RegExp, settings?: NodeJS.ProcessEnv, script = 'scripts/start.mjs') => {
    const service = launch(script, [], settings);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (lastWords.test(service.ended.out + service.ended.err)) resolve();
      };
      service.child.stdout.on('data', look);
      service.child.stderr.on('data', look);
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
    // This time with all that is loaded only when it is wanted: it has to be found, from what was built, too.
    const again = await start(settled, {
      REDIS_URL: 'redis://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      METRICS_PORT: '0',
      LOG_FORMAT: 'pretty',
    });
    expect(again.ended.out).not.toContain('pets_test_');
    for (const path of ['/openapi.yaml', '/docs', '/docs/plugin.js', '/docs/swagger-ui-bundle.js']) {
      expect((await call(again.origin, 'GET', path)).status).toBe(200);
    }
    expect((await call(again.origin, 'GET', '/v1/pets', { headers })).text).toBe(`[${created.text}]`);
    // What it was told of is not there; it ends in good order all the same.
    again.child.kill('SIGTERM');
    expect((await again.end).code).toBe(0);
  }, 60_000);

  it('npm run keys does what it is told, prints the outcome and fails when there is none', async () => {
    expect(await keys('issue', '--name', 'team-x', '--quiet')).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^pets_test_\w{38}\n$/),
    });
    const revoked = await keys('revoke', '999');
    expect({ code: revoked.code, out: revoked.out }).toEqual({ code: 1, out: '' });
    expect(revoked.err).toContain('There is no key 999');
  }, 60_000);

  it('npm run seed adds animals', async () => {
    expect(await run(['pets/seed.cli', '--count', '7'])).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^Added 7 animals of seed 1 in \d+\.\d s\.\n$/),
    });
  });

  it.each([
    [['issue'], 'Say who the key is for, in one line'],
    [['issue', '--name', ' '], 'Say who the key is for'],
    [['issue', '--name', 'x', '--expires', 'soon'], '--expires 90d or --expires 12h'],
    [['issue', '--name', 'x', '--expired', '1d'], "Unknown option '--expired'"],
    [['revoke'], 'Say which key'],
    [['revoke', 'x'], 'Say which key'],
    [['revoke', '1', '2'], 'One key at a time'],
    [['issue', '--name', 'team', 'x'], '--name "team x"'],
    [['issue', '--name', 'x', '--expires', '0d'], '--expires 1h'],
    [['list', '3'], 'what is "3"?'],
    [['rotate', '1', '--overlap', '1w'], '--overlap 90d or --overlap 12h'],
    [['isue'], 'There is no such command: isue'],
  ])('npm run keys -- %j tells what to do', async (args, hint) => {
    const ended = await keys(...args);
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: '' });
    expect(ended.err).toContain(hint);
  });

  it('npm run seed without a count tells what to do', async () => {
    const ended = await run(['pets/seed.cli']);
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: '' });
    expect(ended.err).toContain('npm run seed -- --count 1000');
  });

  it.each([
    ['scripts/start.mjs', ['--port=4000'], 'PORT=4000 npm start'],
    ['scripts/dev.mjs', ['x'], 'PORT=4000 npm run dev'],
    ['scripts/with-postgres.mjs', ['--', 'no-such-command'], 'Cannot run no-such-command (ENOENT)'],
    ['scripts/with-redis.mjs', ['--', 'no-such-command'], 'Cannot run no-such-command (ENOENT)'],
    ['scripts/client.mjs', ['--cheque'], 'npm run client:check'],
    ['scripts/lint-document.mjs', ['x'], 'npm run openapi'],
    ['scripts/audit.mjs', ['x'], 'npm run audit takes no arguments'],
    ['scripts/fuzz.mjs', ['9000'], 'FUZZ_CASES=9000 npm run fuzz'],
    ['scripts/test.mjs', ['listPats'], 'npm test -- --listTests'],
    ['scripts/test.mjs', ['lst-pets'], 'No test file matches lst-pets'],
    ['scripts/run.mjs', ['tools/migrations-check.cli', 'x'], 'npm run migrations:check takes no arguments'],
  ])('node %s %j tells what to do', async (script, args, hint) => {
    const settings = {
      DATABASE_URL: environment['DATABASE_URL'] || 'postgres://unused',
      REDIS_URL: 'redis://unused',
    };
    const ended = await launch(script, args, settings).end;
    expect(ended.code).not.toBe(0);
    expect(ended.out).toBe('');
    expect(ended.err).toContain(hint);
  });

  it('npm test against a deployment tells what is wrong with its address or its key', async () => {
    const refusing = createServer((socket) => {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n{"message":"It has expired."}');
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const BASE_URL = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const test = () => launch('scripts/test.mjs', ['health'], { BASE_URL, API_KEY: 'x' }).end;

    const refused = await test();
    refusing.close();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${BASE_URL} refuses API_KEY: It has expired. Make one where it runs`);

    const unanswered = await test();
    expect(unanswered).toMatchObject({ code: 1, out: '' });
    expect(unanswered.err).toContain(`${BASE_URL} does not answer (ECONNREFUSED)`);
  });

  it('npm run openapi:check finds the committed document current', async () => {
    expect(await run(['tools/openapi.cli', '--check'])).toMatchObject({ code: 0, err: '' });
  });

  it('npm run keys alone tells what there is', async () => {
    expect(await keys()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('issue --name NAME'),
    });
  });

  it('npm run dev serves everything, and starts again after a change', async () => {
    const { child, end, ended, origin } = await start(/Started in \d+ ms/, {}, 'scripts/dev.mjs');
    expect((await call(origin, 'GET', '/docs')).status).toBe(200);
    const now = new Date();
    await utimes('src/health/health.module.ts', now, now);
    while (!/Changed: src\/health\/health\.module\.ts[^]*Started in/.test(ended.err))
      await once(child.stderr, 'data');
    child.kill('SIGTERM');
    await end;
  }, 60_000);

  it('a start with wrong settings lists all of them and makes nothing', async () => {
    const { code, out, err } = await launch('scripts/start.mjs', [], { PORT: 'x', KEY_ENVIRONMENT: 'y' }).end;
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'The configuration is not valid:\n  - PORT must be a port number from 0 to 65535\n  - KEY_ENVIRONMENT must be live or test\n',
    });
  });

  it('a start on a port in use says so', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as { port: number };
    // It starts without this database all the same, and sooner than with one.
    const settings = { PORT: String(port), DATABASE_URL: 'postgres://x:x@127.0.0.1:1/x' };
    const { code, err } = await launch('scripts/start.mjs', [], settings).end;
    await once(other.close(), 'close');
    expect(code).toBe(1);
    expect(err).toContain(`Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  }, 60_000);
});
