import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { embeddedUrl, startEmbeddedPostgres } from '../../src/database/embedded-postgres.js';
import { describeOnOneServer } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const onLinux = existsSync('/proc/self/status') ? describe : describe.skip;
const withPsql = spawnSync('psql', ['--version']).error ? describe.skip : describe;

describeOnOneServer('The embedded database', () => {
  let folder: string;
  let service: Service;
  beforeAll(async () => {
    const parent = await mkdtemp(join(tmpdir(), 'embedded-spec-'));
    await chmod(parent, 0o711); // as most are
    folder = join(parent, 'data');
    service = await startService({ databaseUrl: undefined, databaseDirectory: folder });
  });
  afterAll(async () => {
    await service.stop();
    await rm(dirname(folder), { recursive: true, force: true, maxRetries: 10 });
  });

  const list = () => service.get('/v1/pets');
  const serverPid = () => Number.parseInt(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10);

  it.each(['a link', 'a folder that others may change'])('does not put its socket into %s', async (kind) => {
    const long = join(folder, kind.padEnd(90, '.')); // too long for the path of a socket
    const { host } = new pg.Client(embeddedUrl(long));
    const made = kind === 'a link' ? `${long}target` : host;
    await mkdir(made);
    await chmod(made, kind === 'a link' ? 0o700 : 0o777);
    await chown(made, process.getuid!() || 65_534, -1); // whose the server would be
    if (made !== host) await symlink(made, host);
    const start = startEmbeddedPostgres(long);
    await expect(start.finally(() => rm(host, { recursive: true }))).rejects.toThrow('not a folder of this user');
  });

  it('lets no other user in', () => {
    for (const name of ['.', 'postgres', 'users', 'postgres.log', 'postgres/.s.PGSQL.5432'])
      expect([name, statSync(join(folder, name)).mode & 0o066]).toEqual([name, 0]);
    expect(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[5]).toBe(''); // no address
  });

  onLinux('on Linux', () => {
    it('has no capability, whoever started it, where it can go without', () => {
      const groups = [serverPid(), 'self'].map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[4]);
      expect(groups[0]).not.toBe(groups[1]); // so that Ctrl-C does not stop it before the service
      expect(readFileSync(`/proc/${serverPid()}/status`, 'utf8')).toMatch(/^CapEff:\s0+$/m);
    });
  });

  withPsql('and docker/create-database.sh', () => {
    it('makes a database for the service, and shows its passwords in no list of processes', async () => {
      const address = embeddedUrl(folder);
      const script = [join(import.meta.dirname, '../../docker/create-database.sh')];
      const { host: PGHOST } = new pg.Client(address);
      const passwords = { PGPASSWORD: 'of-the-superuser', ANIMAL_STORE_PASSWORD: 'of-the-role' };
      const env = { PATH: process.env['PATH'], PGHOST, PGUSER: 'postgres', ...passwords };
      const withAddress = spawnSync('sh', [...script, address], { env, encoding: 'utf8' });
      expect(withAddress).toMatchObject({ status: 1, stderr: expect.stringContaining('PGPASSWORD') });

      const direct = new pg.Client(address);
      await direct.connect();
      // The database is to be UTF8 also where others are not.
      await direct.query(`UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1') WHERE datname = 'template1'`);
      await direct.query('BEGIN; LOCK pg_authid IN SHARE MODE'); // which a new role waits for
      const ended = once(spawn('sh', script, { env, stdio: 'inherit' }), 'exit');
      try {
        await until(async () => (await direct.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount! > 0);
        expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).match(/.*of-the-.*/g)).toBeNull();
      } finally {
        await direct.end();
      }
      expect(await ended).toEqual([0, null]);
      const databaseUrl = address.replace(/postgres@localhost.postgres/, 'animal_store@localhost/animal_store');
      await (await startService({ databaseUrl })).stop();
    });
  });

  it('that is killed is away for a moment, and loses nothing', async () => {
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(created.status).toBe(201);
    process.kill(serverPid(), 'SIGKILL');
    let answer = await list();
    while (answer.status !== 200) {
      expectError(answer, 'service_unavailable');
      answer = await list();
      await service.call('GET', '/health/ready'); // notices, and starts it again
    }
    expect(answer.text).toBe(`[${created.text}]`);
    expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).not.toMatch(/ERROR|LOG/); // which may contain values
  });
});
