import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS, dayOf } from '../../src/common/clock.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Ended, Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const KEY = /^pets_test_\w{38}$/;

/** Beside the running service, as a user runs them. */
describeInside('Commands', () => {
  let service: Service;
  let programs: Programs;
  beforeAll(async () => {
    service = await startService();
    programs = new Programs({ DATABASE_URL: service.database.url });
  });
  afterAll(async () => {
    await programs.stop();
    await service.stop();
  });

  describe('npm run keys', () => {
    const run = (...args: string[]): Promise<Ended> => programs.run('auth/keys.cli.js', args);
    const keys = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await run(...args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return out.trimEnd();
    };
    const ask = (key: string) =>
      service.call('GET', '/v1/pets?limit=1', { headers: { authorization: `Bearer ${key}` } });

    it('issues, lists, shows, rotates, revokes and prunes', async () => {
      const options = ['--name', 'team-x', '--owner', 'X', '--note', 'try', '--expires', '90d'];
      const issued = await keys('issue', ...options);
      const [, id = ''] = /number (\d+)/.exec(issued) ?? [];
      const [key = ''] = /pets_test_\w+/.exec(issued) ?? [];
      expect(key).toMatch(KEY);
      expect(issued).toContain(dayOf(Date.now() + 90 * DAY_MS));
      expect((await ask(key)).status).toBe(200);

      const successor = await keys('rotate', id, '--overlap', '2h', '--quiet');
      expect(successor).toMatch(KEY);
      expect([(await ask(key)).status, (await ask(successor)).status]).toEqual([200, 200]);

      const [listed, all, shown] = await Promise.all([
        keys('list'),
        keys('list', '--json'),
        keys('show', id, '--json'),
      ]);
      expect(listed).toMatch(/^ID +NAME +OWNER +KEY +STATE +ACCESS +CREATED +EXPIRES +LAST USED\n/);
      for (const each of [key, successor]) expect(listed + all + shown).not.toContain(each);
      const ofTeam = (JSON.parse(all) as { name: string }[]).filter(({ name }) => name === 'team-x');
      const one = expect.objectContaining({ owner: 'X', note: 'try', state: 'active' });
      expect(ofTeam).toEqual([one, one]);
      expect(JSON.parse(shown)).toMatchObject({ id, name: 'team-x', state: 'active' });

      expect(await keys('revoke', id)).toContain('is revoked');
      const revoked = performance.now();
      await until(async () => (await ask(key)).status !== 200);
      expect(performance.now() - revoked).toBeLessThan(5_000);
      expectError(await ask(key), 'invalid_api_key');
      expect((await ask(successor)).status).toBe(200);
      expect(await keys('prune', '--older-than', '0d', '--json')).toMatch(/"forgotten": [1-9]/);
      const { code, out, err } = await run('show', id);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(`There is no key ${id}.`);
      expect(await keys()).toContain('issue --name NAME');
    }, 60_000);

    it('issues a key that may only read, as may its successor', async () => {
      const issued = JSON.parse(await keys('issue', '--name', 'dashboards', '--read-only', '--json')) as { id: string };
      const rotated = JSON.parse(await keys('rotate', issued.id, '--json')) as { key: string };
      expect([issued, rotated]).toEqual(Array(2).fill(expect.objectContaining({ readOnly: true })));
      const [listed, all, shown] = await Promise.all([keys('list'), keys('list', '--json'), keys('show', issued.id)]);
      expect(listed.match(/ dashboards .* active +read-only /g)).toHaveLength(2);
      expect(listed).toMatch(/ tests .* active +full /);
      expect(JSON.parse(all)).toContainEqual(expect.objectContaining({ name: 'tests', readOnly: false }));
      expect(shown).toMatch(/^readOnly +true$/m);
      expect((await ask(rotated.key)).status).toBe(200);
      const headers = { authorization: `Bearer ${rotated.key}` };
      expectError(await service.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers }), 'read_only_key');
    });

    it.each([
      [['rotate', '1', '--read-only'], /issue a new key with --read-only/],
      [['issue', '--name', 'x', '--expires', 'soon'], /90d/],
      [['issue', '--name', 'team\u202exiss'], /visible characters/],
      [['isue'], /no such command: isue/],
    ])('%j fails and says what to do, before the database is asked', async (args, hint) => {
      const settings = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
      const { code, out, err } = await programs.run('auth/keys.cli.js', args, settings);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(hint);
      expect(err).not.toContain('    at ');
    });
  });

  describe('npm run seed', () => {
    it('adds as many animals as it is told, beside the service', async () => {
      const { code, out, err } = await programs.run('pets/seed.cli.js', ['--count', '2500']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(/^Added 2500 animals/);
      expect(await service.database.query('SELECT count(*)::int AS count FROM pets')).toEqual([{ count: 2500 }]);
      expect((await service.get('/v1/pets?limit=100')).json).toHaveLength(100);
    });

    it('without a count fails and says what to do', async () => {
      const { code, out, err } = await programs.run('pets/seed.cli.js');
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain('--count 1000');
    });
  });
});
