import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { DAY_MS, dayOf } from '../../src/common/clock.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Ended, Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const HOUR_MS = DAY_MS / 24;

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
    const run = (args: string[], settings = {}): Promise<Ended> => programs.run('auth/keys.cli.js', args, settings);
    const keys = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await run(args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return out.trimEnd();
    };
    const ask = (key: string) =>
      service.call('GET', '/v1/pets?limit=1', { headers: { authorization: `Bearer ${key}` } });

    it('issues, rotates, revokes, lists and shows', async () => {
      const note = 'n'.repeat(255);
      const issued = await keys('issue', '--name', 'team-x', '--owner', ' X ', '--note', note, '--expires', '90d');
      const [, id = '', first = ''] =
        /^A key for team-x, number (\d+)\. .*on [\d-]{10}\.\n\n {2}(\S+)$/.exec(issued) ?? [];
      const second = await keys('rotate', id, '--overlap', '2h', '--quiet');
      const live = await run(['issue', '--name', 'team-y', '--read-only', '--json'], { KEY_ENVIRONMENT: 'live' });
      const third = JSON.parse(live.out) as Record<string, string>;
      const fourth = JSON.parse(await keys('rotate', third['id']!, '--expires', '1h', '--json')) as typeof third;
      expect(fourth).toMatchObject({ name: 'team-y', replaces: third['id'], expiresAt: expect.any(String) });
      for (const key of [first, second, fourth['key']!]) {
        expect(key).toMatch(/^pets_test_\w{38}$/);
        expect((await ask(key)).status).toBe(200);
      }
      expect(third['key']).toMatch(/^pets_live_\w{38}$/);
      const headers = { authorization: `Bearer ${fourth['key']}` };
      expectError(await service.post('/v1/pets', {}, { headers }), 'read_only_key');

      expect(await keys('revoke', id)).toBe(`Key ${id} is revoked: it stops working within five seconds.`);
      const revoked = performance.now();
      await until(async () => (await ask(first)).status !== 200);
      expect(performance.now() - revoked).toBeLessThan(5_000);
      expectError(await ask(first), 'invalid_api_key');
      expect((await ask(second)).status).toBe(200);
      await service.app.get(KeysService).issue({ name: 'over', lifeMs: -1 });

      const [listed, all] = await Promise.all([keys('list'), keys('list', '--json')]);
      const records = JSON.parse(all) as Record<string, string | null>[];
      const next = records.find(({ hint }) => hint === `${second.slice(0, 14)}…`)!['id']!;
      const shown = await keys('show', next);
      const one = (given: string, hours: number, more: object) => {
        const found = records.find((each) => each['id'] === given)!;
        expect(found).toMatchObject({ owner: null, note: null, state: 'active', ...more });
        expect(Math.round((Date.parse(found['expiresAt']!) - Date.parse(found['createdAt']!)) / HOUR_MS)).toBe(hours);
        return found;
      };
      const ofX = { name: 'team-x', owner: 'X', note, readOnly: false };
      const ofY = { name: 'team-y', readOnly: true };
      one(id, 2, { ...ofX, state: 'revoked' });
      const successor = one(next, 90 * 24, { ...ofX, hint: `${second.slice(0, 14)}…`, lastUsedAt: expect.any(String) });
      const { createdAt } = one(third['id']!, 24, ofY);
      expect(Date.parse(third['expiresAt']!) - Date.parse(createdAt!)).toBe(365 * DAY_MS);
      one(fourth['id']!, 1, ofY);
      expect(records.find(({ name }) => name === 'over')).toMatchObject({ state: 'expired', lastUsedAt: null });
      const [head, ...rows] = listed.split('\n').map((line) => line.split(/ {2,}/));
      expect(head).toEqual(['ID', 'NAME', 'OWNER', 'KEY', 'STATE', 'ACCESS', 'CREATED', 'EXPIRES', 'LAST USED']);
      const cells = (record: (typeof records)[0]) => {
        const { id, name, owner, hint, state, readOnly, createdAt, expiresAt, lastUsedAt } = record;
        const days = [createdAt, expiresAt].map((instant) => dayOf(new Date(instant!)));
        return [id, name, owner ?? '-', hint, state, readOnly ? 'read-only' : 'full', ...days, lastUsedAt ?? '-'];
      };
      expect(rows).toEqual(records.map(cells));
      expect(new Set(listed.split('\n').map((line) => line.search(/KEY|pets_/))).size).toBe(1); // aligned
      expect(all).not.toMatch(/"hash"|"originId"/);
      for (const name in successor) expect(shown).toMatch(new RegExp(`^${name} +${successor[name] ?? '-'}$`, 'm'));
      for (const key of [first, second, third['key']!, fourth['key']!]) expect(listed + all + shown).not.toContain(key);
      const told = await keys('rotate', fourth['id']!, '--overlap', '0h');
      expect(told).toMatch(
        /^Key \d+ keeps .* 0 hours at most\.\nIts successor is number \d+\. It may only read\. It is shown/,
      );
      expect(JSON.parse(await keys('revoke', next, '--json'))).toEqual({ revoked: next });
    });

    it('prunes what has ended long enough ago', async () => {
      const hours = { active: -1, h30: 30, h40: 40, d29: 29 * 24, d31: 31 * 24 };
      for (const [name, ago] of Object.entries(hours)) {
        await service.app.get(KeysService).issue({ name: `expired ${name}`, lifeMs: -ago * HOUR_MS });
        const { id } = await service.app.get(KeysService).issue({ name: `revoked ${name}` });
        const revoked = `UPDATE api_keys SET revoked_at = now() - interval '${ago} hours' WHERE id = ${id}`;
        if (ago > 0) await service.database.query(revoked);
      }
      const left = async () => {
        const names = `SELECT name FROM api_keys WHERE name ~ '^(expired|revoked) ' ORDER BY id`;
        return (await service.database.query(names)).map(({ name }) => name);
      };
      const both = (...which: string[]) => which.flatMap((each) => [`expired ${each}`, `revoked ${each}`]);
      expect(await keys('prune')).toBe('Deleted 2 expired or revoked keys.');
      expect(await left()).toEqual(both('active', 'h30', 'h40', 'd29'));
      expect(JSON.parse(await keys('prune', '--older-than', '36h', '--json'))).toEqual({ forgotten: 4 });
      expect(await left()).toEqual(both('active', 'h30'));
    });

    it('prints how it is used', async () => {
      for (const args of [[], ['help'], ['issue', '--help']])
        expect(await keys(...args)).toMatch(/^API keys: .*issue --name NAME/s);
    });

    it.each(['rotate', 'revoke', 'show'])(
      '%s fails for a key that no longer works, or is not there',
      async (command) => {
        const { id } = await service.app.get(KeysService).issue({ name: 'over', lifeMs: -1 });
        await service.app.get(KeysService).revoke(id);
        const which = command === 'show' ? '' : ' that still works';
        if (!which) await service.database.query(`DELETE FROM api_keys WHERE id = ${id}`);
        const { code, out, err } = await run([command, `${id}`]);
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(err).toBe(`There is no key ${id}${which}. See the list.\n`);
      },
    );

    it.each([
      [['rotate', '1', '--read-only'], /issue a new key with --read-only/],
      [['issue', '--name', ' '], /issue --name NAME/],
      [['issue', '--name', 'x'.repeat(256)], /at most 255 visible/],
      [['issue', '--name', 'team', '--owner', 'x\u2028y'], /visible characters/],
      [['rotate', '1', '--overlap', '05d'], /--overlap in days or hours, such as --overlap 90d/],
      [['issue', '--name', 'x', '--expires', '0h'], /--expires in days or hours, at least 1h, such as --expires 90d/],
      [['issue', '--name', 'team\u202exiss'], /visible characters/],
      [['issue', '--name', 'team', 'x'], /What is "x"\? .* quotes/],
      [['revoke', 'team-x'], /by the number that the list shows: revoke 3/],
      [['prune', '--older', '1d'], /'--older'(.|\n)*prune \[--older-than 30d\]/],
      [['isue'], /no such command: isue\n\nAPI keys: node dist\/auth\/keys\.cli\.js COMMAND/],
      [['constructor'], /no such command: constructor/],
    ])('%j fails and says what to do, before the database is asked', async (args, hint) => {
      const { code, out, err } = await run(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(hint);
      expect(err).not.toContain('    at ');
    });
  });

  describe('npm run seed', () => {
    it('adds as many animals as it is told, beside the service', async () => {
      await service.database.query('ALTER TABLE pets ADD CONSTRAINT few CHECK (id <= 1500)');
      expect((await programs.run('../scripts/seed.mjs', ['--count', '2500'])).code).toBe(1); // and has added none
      await service.database.query('ALTER TABLE pets DROP CONSTRAINT few');
      const seeded = await programs.run('../scripts/seed.mjs', ['--count', '2500']);
      expect(seeded).toEqual({ code: 0, out: '', err: 'Added 2500 animals.\n' });
      expect(await service.database.query('SELECT count(*)::int AS count FROM pets')).toEqual([{ count: 2500 }]);
      expect((await service.get('/v1/pets?limit=100')).json).toHaveLength(100);
    });

    it('without a count fails and says what to do', async () => {
      const { code, out, err } = await programs.run('../scripts/seed.mjs');
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain('--count 1000');
    });
  });
});
