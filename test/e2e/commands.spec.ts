import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { unpackEmptyDatabase } from '../support/empty-database.js';
import { SHORT_LIVED } from '../support/short-lived.js';
import { call } from './support/client.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { describeInside } from './support/deployment.js';
import { NOWHERE } from './support/scripted-server.js';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

const NO_SERVER = { DATABASE_URL: '', DATABASE_DIRECT_URL: '', DATABASE_DISTRIBUTION: '' };
/** What a command says about the database that it uses, unless that is a server. */
const WHERE = process.env['DATABASE_URL'] ? '' : expect.stringMatching(/^In the embedded database .*:\n$/);

/** Runs the built commands in separate processes, as a user does. */
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

  /** Starts the service and waits for the last line of its start-up output. */
  const start = async (lastWords: RegExp, settings?: NodeJS.ProcessEnv, script = 'scripts/start.mjs') => {
    const service = launch(script, [], settings);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (lastWords.test(service.ended.out + service.ended.err)) resolve();
      };
      service.child.stdout.on('data', look);
      service.child.stderr.on('data', look);
      void service.end.then(({ out, err }) => reject(new Error(`The service exited early:\n${out}${err}`)));
    });
    const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(service.ended.out) ?? [];
    return { ...service, origin };
  };

  it('npm start on the embedded database prints a key on first start and keeps animals across restarts', async () => {
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

    // Commands use the database through the running service, whose requests go on.
    let over = false;
    const asking = (async () => {
      const answers: number[] = [];
      while (!over) answers.push((await call(first.origin, 'GET', '/v1/pets?limit=1', { headers })).status);
      return answers;
    })();
    expect((await keys('list')).out).toContain('development');
    const another = {
      headers: { authorization: `Bearer ${(await keys('issue', '--name', 'b', '--quiet')).out.trim()}` },
    };
    expect((await run(['pets/seed.cli', '--count', '20000'])).out).toContain('Added 20000 animals');
    over = true;
    const answers = await asking;
    const refused = answers.filter((status) => status !== 200);
    expect(refused.length).toBeLessThan(answers.length / 10); // a busy machine may refuse some
    expect((await call(first.origin, 'GET', '/v1/pets?after=20000', another)).json).toHaveLength(1);

    first.child.kill('SIGTERM');
    await first.end;
    // Enables every lazily loaded package: the bundle has to find each of them.
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
    expect((await call(again.origin, 'GET', '/v1/pets?limit=1', { headers })).text).toBe(`[${created.text}]`);
    // Redis and the collector do not exist, which must not prevent a graceful shutdown.
    again.child.kill('SIGTERM');
    expect((await again.end).code).toBe(0);
  }, 60_000);

  it('npm run keys prints the new key, and exits with 1 when the key to revoke does not exist', async () => {
    expect(await keys('issue', '--name', 'team-x', '--quiet')).toEqual({
      code: 0,
      err: WHERE,
      out: expect.stringMatching(/^pets_test_\w{38}\n$/),
    });
    const revoked = await keys('revoke', '999');
    expect({ code: revoked.code, out: revoked.out }).toEqual({ code: 1, out: '' });
    expect(revoked.err).toContain('There is no key 999');
  }, 60_000);

  it('names the command as the image has it, where npm is not', async () => {
    for (const [name, help] of [
      ['dist/auth/keys.cli.js', 'issue --name NAME'],
      ['dist/pets/seed.cli.js', '--count 100000'],
    ] as const) {
      const { stdout } = await promisify(execFile)(process.execPath, [resolve(name), '--help'], {
        cwd: folder,
      });
      expect(stdout).toContain(`  node ${name} ${help}`);
      expect(stdout).not.toContain('npm');
    }
  });

  it('npm run build leaves a code cache that V8 accepts, for its version of Node.js', async () => {
    const look =
      "const { script } = await import('./dist/packages.js'); console.log(script.cachedDataRejected);";
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', look]);
    const isForThis = existsSync(`dist/packages.cjs.${process.version}.cache`);
    expect(stdout).toBe(isForThis ? 'false\n' : 'undefined\n');
  });

  it('a damaged code cache is not given to V8, which would crash', async () => {
    const copy = await mkdtemp('node_modules/.cache/damaged-');
    try {
      await cp('dist', copy, { recursive: true });
      const cache = join(copy, `packages.cjs.${process.version}.cache`);
      const bytes = existsSync(cache) ? await readFile(cache) : Buffer.alloc(4_000_000);
      await writeFile(cache, bytes.fill(0, bytes.length / 2));
      const look = `const { script } = await import('./${copy}/packages.js'); console.log(script.cachedDataRejected);`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', look]);
      expect(stdout).toBe('undefined\n');
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it('npm run build keeps the characters of regular expressions in packages', async () => {
    const look =
      "const { packages } = await import('./dist/packages.js'); console.log(packages['class-validator']().isAlpha('Çilek', 'tr-TR'));";
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', look]);
    expect(stdout).toBe('true\n');
  });

  it('npm run keys takes live keys to no embedded database that is not named', async () => {
    const settings = { ...NO_SERVER, DATABASE_DIR: '', KEY_ENVIRONMENT: 'live' };
    const { code, err } = await run(['auth/keys.cli', 'revoke', '1'], settings);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('neither DATABASE_URL nor') });
  });

  it('npm run keys says so when a part of its output is lost', async () => {
    const file = join(folder, 'almost-full');
    await writeFile(file, 'x'.repeat(300)); // the limit of a block, 512 bytes, is less than the usage needs
    const script = 'ulimit -f 1; exec "$0" dist/auth/keys.cli.js help >> "$1"';
    const ended = promisify(execFile)('sh', ['-c', script, process.execPath, file], { env: environment });
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('EFBIG') });
  });

  it('npm run keys says so when its output is lost', async () => {
    const script = 'exec "$0" scripts/run.mjs auth/keys.cli issue --name lost > /dev/full';
    const ended = promisify(execFile)('sh', ['-c', script, process.execPath], { env: environment });
    const message =
      /The command was carried out, but its output could not be written: .*ENOSPC.*\nKey (\d+) is new and works, .*: npm run keys -- revoke \1\nThen issue another\.\n$/;
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });

  it.each([
    [
      'that begins with a byte order mark',
      'PORT must be',
      (path: string) => writeFile(path, '\uFEFFPORT=wrong'),
    ],
    ['that cannot be read', '.env must be a readable file (EISDIR)', (path: string) => mkdir(path)],
  ])('a .env %s is not ignored', async (_what, message, make) => {
    const cwd = await mkdtemp(join(folder, 'env-'));
    await make(join(cwd, '.env'));
    const started = promisify(execFile)(process.execPath, [resolve('dist/main.js')], { cwd, env: {} });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`  - ${message}`),
    });
  });

  it('npm run seed adds animals', async () => {
    expect(await run(['pets/seed.cli', '--count', '7'])).toEqual({
      code: 0,
      err: WHERE,
      out: expect.stringMatching(/^Added 7 animals of seed 1 in \d+\.\d s\.\n$/),
    });
  });

  it.each([
    [['issue'], 'Say who the key is for, in one line'],
    [['issue', '--name', 'x'.repeat(256)], 'has 255 characters at most; this one has 256'],
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
  ])('npm run keys -- %j fails and says what to do', async (args, hint) => {
    const ended = await keys(...args);
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: '' });
    expect(ended.err).toContain(hint);
  });

  it('npm start with a file for DATABASE_DIR fails and says what to do', async () => {
    const settings = { ...NO_SERVER, DATABASE_DIR: 'package.json' };
    const ended = await launch('scripts/start.mjs', [], settings).end;
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: '' });
    expect(ended.err).toContain('DATABASE_DIR must name a folder');
    expect(ended.err).not.toContain('    at ');
  });

  it('npm run seed without a count fails and says what to do', async () => {
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
  ])('node %s %j fails and says what to do', async (script, args, hint) => {
    const settings = {
      DATABASE_URL: environment['DATABASE_URL'] || 'postgres://unused',
      REDIS_URL: 'redis://unused',
    };
    const ended = await launch(script, args, settings).end;
    expect(ended.code).not.toBe(0);
    expect(ended.out).toBe('');
    expect(ended.err).toContain(hint);
  });

  it('npm test against a deployment reports an unreachable address and a refused key', async () => {
    const refusing = createServer((socket) => {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n{"message":"It has expired."}');
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const BASE_URL = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const test = (baseUrl: string) =>
      launch('scripts/test.mjs', ['health'], { BASE_URL: baseUrl, API_KEY: 'x' }).end;

    const refused = await test(BASE_URL);
    refusing.close();
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`${BASE_URL} refuses API_KEY: It has expired. Issue one where it runs`);

    const unanswered = await test(`http://${NOWHERE}`);
    expect(unanswered).toMatchObject({ code: 1, out: '' });
    expect(unanswered.err).toContain(`http://${NOWHERE} does not answer (ECONNREFUSED)`);
  });

  it('npm run openapi:check passes: the committed document is up to date', async () => {
    expect(await run(['tools/openapi.cli', '--check'])).toMatchObject({ code: 0, err: '' });
  });

  it('npm run keys without a command lists the commands', async () => {
    expect(await keys()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('issue --name NAME'),
    });
  });

  it('npm run dev serves the service and restarts it after a change', async () => {
    const { child, end, ended, origin } = await start(/Started in \d+ ms/, {}, 'scripts/dev.mjs');
    expect((await call(origin, 'GET', '/docs')).status).toBe(200);
    const now = new Date();
    await utimes('src/health/health.module.ts', now, now);
    while (!/Changed: src\/health\/health\.module\.ts[^]*Started in/.test(ended.err))
      await once(child.stderr, 'data');
    child.kill('SIGTERM');
    await end;
  }, 60_000);

  it('npm start with invalid settings lists all of them and exits with 1', async () => {
    const { code, out, err } = await launch('scripts/start.mjs', [], { PORT: 'x', KEY_ENVIRONMENT: 'y' }).end;
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'The configuration is not valid:\n  - PORT must be a port number from 0 to 65535\n  - KEY_ENVIRONMENT must be live or test\n',
    });
  });

  it('npm start on a port in use says so', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as { port: number };
    // The service listens before its database answers, so an unreachable one makes the test faster.
    const settings = { PORT: String(port), DATABASE_URL: 'postgres://x:x@127.0.0.1:1/x' };
    const { code, err } = await launch('scripts/start.mjs', [], settings).end;
    await once(other.close(), 'close');
    expect(code).toBe(1);
    expect(err).toContain(`Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  }, 60_000);
});
