import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { parseCommand } from '../../src/auth/cli/commands.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { DAY_MS } from '../../src/common/clock.js';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

/** The output of each command, in this process. commands.spec.ts runs the real command line. */
describeInside('npm run keys', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterEach(() => service.clock.moveTo(new Date().toISOString()));
  afterAll(() => service.stop());

  const keys = async (...args: string[]): Promise<string> => {
    const command = parseCommand(args);
    if (!command) throw new Error('Not a command.');
    const output = await command(service.app.get(KeysService));
    return typeof output === 'string' ? output : output.text;
  };
  const issueForTeamX = () =>
    keys('issue', '--name', 'team-x', '--owner', 'X', '--note', 'try', '--expires', '90d');

  it('issues, lists, shows, rotates, revokes and prunes', async () => {
    const day = new Date(Date.now() + 90 * DAY_MS).toISOString().slice(0, 10);
    const text = `^A key for team-x, number (\\d+)\\. It is shown this once; it expires on ${day}\\.\n\n  pets_test_\\w{38}$`;
    const [, id = ''] = new RegExp(text).exec(await issueForTeamX()) ?? [];
    expect(id).not.toBe('');

    const quiet = await keys('rotate', id, '--overlap', '2h', '--quiet');
    expect(quiet).toMatch(/^pets_test_\w{38}$/);

    const listed = await keys('list');
    expect(listed).toMatch(/^ID +NAME +OWNER +KEY +STATE +CREATED +EXPIRES +LAST USED\n/);
    expect(listed).toContain(quiet.slice(0, 14));
    expect(listed).not.toContain(quiet);
    const all = JSON.parse(await keys('list', '--json')) as Record<string, unknown>[];
    expect(all.filter(({ name }) => name === 'team-x')).toEqual([
      expect.objectContaining({ id, owner: 'X', note: 'try', state: 'active', lastUsedAt: null }),
      expect.objectContaining({ owner: 'X', note: 'try', state: 'active' }),
    ]);

    const [, successor] = all.filter(({ name }) => name === 'team-x');
    const revoked = await keys('revoke', id);
    expect(revoked).toContain('is revoked');
    expect(revoked).toContain(`Still working under its name: ${String(successor?.['id'])}.`);
    expect(await keys('show', id)).toMatch(/^state +revoked$/m);
    await expect(keys('revoke', id)).rejects.toThrow('There is no key');
    await expect(keys('rotate', id)).rejects.toThrow('There is no key');
    expect(await keys('prune', '--older-than', '0d', '--json')).toMatch(/"forgotten": [1-9]/);
    await expect(keys('show', id)).rejects.toThrow(`There is no key ${id}. `);
  });

  it.each([
    ['--name', 'team\u202exiss'],
    ['--owner', 'X\u0007'],
    ['--note', 'two\u2028lines'],
    ['--name', 'zero\u200bwidth'],
  ])('refuses %s %j, which a terminal would not show as it is', async (option, value) => {
    const words = ['issue', '--name', 'seen', option, value];
    expect(() => parseCommand(words)).toThrow(/^Leave out U\+[0-9A-F]{4}: /);
  });

  it('says what to do about a successor whose key is lost with the output', async () => {
    const { id } = await service.app.get(KeysService).issue({ name: 'lost' });
    const output = await parseCommand(['rotate', String(id)])?.(service.app.get(KeysService));
    const toRevoke =
      'Key (\\d+) is new and works, but is shown only once\\. Revoke it: npm run keys -- revoke \\1';
    const old = `Key ${id} keeps working for 24 hours at most\\. Rotate it again before, or issue another\\.`;
    expect(output).toHaveProperty('ifLost', expect.stringMatching(`^${toRevoke}\n${old}$`));
  });

  it('shows such characters in what is stored already by their numbers', async () => {
    const name = 'team\u202exiss\n99  forged';
    const { id } = await service.app.get(KeysService).issue({ name, owner: '\u009b2J', note: '\u001b[2J' });
    const row = (await keys('list')).split('\n').find((line) => line.startsWith(`${id} `));
    expect(row).toContain(String.raw`team\u202exiss\u000a99  forged`);
    expect(row).toContain(String.raw`\u009b2J`);
    expect(await keys('show', String(id))).toContain(String.raw`\u001b[2J`);
    const all = JSON.parse(await keys('list', '--json')) as { id: string; name: string }[];
    expect(all.find((key) => key.id === String(id))?.name).toBe(name);
  });

  it.each([
    [400, /^The clock of this machine is 400 days ahead of the database's\. Nothing was changed\.\n/],
    [-400, /^The clock of this machine is 400 days behind the database's\. Nothing was changed\.\n/],
  ])('refuses to write dates, and to delete by them, with a clock off by %d days', async (days, message) => {
    const [, id = ''] = /number (\d+)/.exec(await keys('issue', '--name', `off by ${days}`)) ?? [];
    const before = await keys('list', '--json');
    service.clock.moveTo(new Date(Date.now() + days * DAY_MS).toISOString());
    for (const words of [['prune'], ['rotate', id], ['issue', '--name', 'off']])
      await expect(keys(...words)).rejects.toThrow(message);
    expect(await keys('show', id)).toMatch(/^state +/m);
    service.clock.moveTo(new Date().toISOString());
    expect(await keys('list', '--json')).toBe(before);
    service.clock.moveTo(new Date(Date.now() - DAY_MS).toISOString());
    expect(await keys('revoke', id)).toContain('is revoked');
  });

  it.each([
    ['infinity', 'active', '+275760-09-13'],
    ['294276-12-31 UTC', 'active', '+275760-09-13'],
    ['-infinity', 'expired', '-271821-04-20'],
  ])('and requests take a key whose expiry was set to %s', async (expiry, state, day) => {
    const issued = await service.app.get(KeysService).issue({ name: expiry });
    const id = String(issued.id);
    await service.app
      .get(DataSource)
      .query('UPDATE api_keys SET expires_at = $1::timestamptz WHERE id = $2', [expiry, id]);
    const headers = { authorization: `Bearer ${issued.key}` };
    const send = () => service.call('GET', '/v1/pets', { headers });
    const answers = await Promise.all([send(), send()]);
    const status = state === 'active' ? 200 : 401;
    for (const answer of [...answers, await send()]) expect(answer.status).toBe(status);

    expect(await keys('list')).toMatch(new RegExp(`^${id} .*${state} .*${day.replace('+', '.')}`, 'm'));
    expect(await keys('show', id)).toMatch(new RegExp(`^expires +${day.replace('+', '.')} 00:00 UTC$`, 'm'));
    expect(JSON.parse(await keys('show', id, '--json'))).toMatchObject({ state });
    if (state === 'expired') return;
    const [, successor = ''] = /number (\d+)/.exec(await keys('rotate', id)) ?? [];
    expect(await keys('show', successor)).toMatch(/^state +active$/m);
    expect(await keys('rotate', successor, '--expires', '90d')).toContain('Its successor is');
  });
});
