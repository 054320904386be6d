import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ApiKey } from '../../src/auth/api-key.entity.js';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysRepository } from '../../src/auth/keys.repository.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Clock, DAY_MS } from '../../src/common/clock.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { expectError } from './support/expectations.js';
import { describeOnServer } from './support/database.js';
import { type Service, startService } from './support/service.js';

describe('API keys', () => {
  let service: Service;
  let keys: KeysService;
  beforeAll(async () => {
    service = await startService();
    keys = service.app.get(KeysService);
  });
  afterAll(() => service.stop());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const list = (key: string) =>
    service.get('/v1/pets?limit=1', { headers: { authorization: `Bearer ${key}` } });
  const repository = () => service.app.get(KeysRepository);

  it('are looked up once for concurrent and subsequent requests, whether valid or unknown', async () => {
    const lookUps = jest.spyOn(repository(), 'findByHash');
    const { key } = await keys.issue({ name: 'together' });
    const unknown = generateKey('test');
    const together = await Promise.all([key, key, key, unknown, unknown].map(list));
    await list(key);
    await list(unknown);
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401]);
    expect(lookUps).toHaveBeenCalledTimes(2);
  });

  it('that are new are looked up together, and none is refused, while the database is slow', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => keys.issue({ name: 'new' })));
    const asked = jest.spyOn(repository(), 'findByHash');
    const table = service.app.get<BatchedRepository<ApiKey>>(getRepositoryToken(ApiKey));
    const read = table.readListed.bind(table);
    const statements = jest.spyOn(table, 'readListed').mockImplementation(async (...given) => {
      while (asked.mock.calls.length < issued.length) await setTimeout(1);
      return read(...given);
    });
    const answers = await Promise.all(issued.map(({ key }) => list(key)));
    expect(answers.map(({ status }) => status)).toEqual(issued.map(() => 200));
    expect(statements.mock.calls.length).toBeLessThanOrEqual(5); // four, and one for all others
  });

  it('whose use cannot be recorded work, and have one line in the log together', async () => {
    const issued = await Promise.all(Array.from({ length: 5 }, () => keys.issue({ name: 'used' })));
    jest.spyOn(repository(), 'markUsed').mockRejectedValue(new Error('Connection terminated'));
    const before = service.log.length;
    for (const { key } of issued) expect((await list(key)).status).toBe(200);
    const lines = service.log.slice(before).filter((line) => line.includes('Connection terminated'));
    expect(lines).toEqual([
      expect.stringContaining('Uses of keys are not recorded: Error: Connection terminated'),
    ]);
  });

  it('are not mixed up when many are checked concurrently', async () => {
    const names = ['one', 'two', 'three'];
    const valid = await Promise.all(names.map((name) => keys.issue({ name })));
    const expired = await keys.issue({ name: 'expired', lifeMs: -1 });
    const ask = async (key: string, expected: number) => ({ status: (await list(key)).status, expected });
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        ...valid.flatMap(({ key }) => [ask(key, 200), ask(generateKey('test'), 401), ask(key, 200)]),
        ask(expired.key, 401),
        ask('nonsense', 401),
        ask(generateKey('live'), 401),
      ]);
      for (const { status, expected } of answers) expect(status).toBe(expected);
    }
  });

  it.each([
    ['a typo', (key: string) => key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))],
    ['another kind', () => generateKey('live')],
    ['another form', () => 'x'.repeat(48)],
  ])('with %s are refused without a database query', async (_, change) => {
    const lookUps = jest.spyOn(repository(), 'findByHash');
    expectError(await list(change(service.key)), 'invalid_api_key');
    expect(lookUps).not.toHaveBeenCalled();
  });

  it('for another kind of deployment are refused with an explanation', async () => {
    const answer = await list(generateKey('live'));
    expectError(answer, 'invalid_api_key', 'This deployment takes keys that begin with pets_test_.');
  });

  it('stop working within five seconds of revocation', async () => {
    const { id, key } = await keys.issue({ name: 'to be revoked' });
    expect((await list(key)).status).toBe(200);
    await keys.revoke(id);
    const revokedAt = Date.now();
    while ((await list(key)).status === 200) {
      if (Date.now() - revokedAt > 5_000) throw new Error('The revoked key still works');
      await setTimeout(50);
    }
    expectError(await list(key), 'invalid_api_key');
    expect(await keys.revoke(id)).toBe(false);
  });

  it('expire after 365 days by default', async () => {
    const { id, expiresAt } = await keys.issue({ name: 'a year' });
    const stored = await keys.find(id);
    expect(stored!.expiresAt.getTime() - stored!.createdAt.getTime()).toBe(365 * DAY_MS);
    expect(expiresAt).toEqual(stored!.expiresAt);
  });

  it('are stored as a hash and a hint', async () => {
    const { id, key } = await keys.issue({ name: 'stored', owner: 'Team X', note: 'for the tests' });
    const stored = await keys.find(id);
    expect(stored).toMatchObject({ name: 'stored', owner: 'Team X', note: 'for the tests', revokedAt: null });
    expect(stored!.hash).toHaveLength(32);
    expect(
      JSON.stringify(stored, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(key.slice('pets_test_'.length + 4));
  });

  it('can be rotated: both work during the overlap, then only the successor', async () => {
    const old = await keys.issue({ name: 'rotated', owner: 'Team X', lifeMs: 10 * DAY_MS });
    const successor = await keys.rotate(old.id, DAY_MS);
    expect(successor).toMatchObject({ name: 'rotated' });
    expect(await keys.find(successor!.id)).toMatchObject({ owner: 'Team X' });
    expect((await list(old.key)).status).toBe(200);
    expect((await list(successor!.key)).status).toBe(200);

    const { expiresAt } = (await keys.find(old.id))!;
    expect(Math.abs(expiresAt.getTime() - Date.now() - DAY_MS)).toBeLessThan(60_000);
    service.clock.moveTo(new Date(expiresAt.getTime() + 1000).toISOString());
    expectError(await list(old.key), 'expired_api_key');
    expect((await list(successor!.key)).status).toBe(200);
    expect(await keys.rotate(old.id, DAY_MS)).toBeUndefined();
    service.clock.moveTo(new Date().toISOString());
  });

  it('do not live longer through rotation', async () => {
    const old = await keys.issue({ name: 'short', lifeMs: DAY_MS });
    await keys.rotate(old.id, 30 * DAY_MS);
    expect((await keys.find(old.id))!.expiresAt).toEqual(old.expiresAt);
  });

  describeOnServer('while another transaction changes the key', () => {
    const rotatedBeside = async (change: string): Promise<unknown> => {
      const old = await keys.issue({ name: `beside ${change}` });
      const dataSource = service.app.get(DataSource);
      const other = dataSource.createQueryRunner();
      await other.startTransaction();
      await other.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [old.id]);
      const rotation = keys.rotate(old.id, DAY_MS);
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      const ended = rotation.then(() => true);
      while ((await dataSource.query<unknown[]>(waiting)).length === 0) {
        if (await Promise.race([ended, setTimeout(5, false)])) break;
      }
      await other.commitTransaction();
      await other.release();
      await rotation;
      return (await keys.list()).filter(({ name }) => name === `beside ${change}`).length;
    };

    it('have no successor when that revokes them', async () => {
      expect(await rotatedBeside('revoked_at = now()')).toBe(1);
    });

    it('have a successor when that leaves them working', async () => {
      expect(await rotatedBeside('last_used_at = now()')).toBe(2);
    });
  });

  it('that are rotated again, as after a lost output, have successors of the full lifetime', async () => {
    const old = await keys.issue({ name: 'rotated again', lifeMs: 10 * DAY_MS });
    const first = await keys.rotate(old.id, DAY_MS);
    const second = await keys.rotate(old.id, DAY_MS);
    expect(second?.expiresAt.getTime()).toBeGreaterThanOrEqual(Number(first?.expiresAt));
    const short = await keys.rotate(second?.id as bigint, DAY_MS, 2 * DAY_MS);
    const third = await keys.rotate(short?.id as bigint, DAY_MS);
    expect(Number(third?.expiresAt)).toBeLessThan(Date.now() + 3 * DAY_MS);
  });

  it('are rotated twice at the same moment: both successors work, and the old key does not live longer', async () => {
    const old = await keys.issue({ name: 'rotated twice' });
    const successors = await Promise.all([keys.rotate(old.id, DAY_MS), keys.rotate(old.id, 2 * DAY_MS)]);
    const answers = await Promise.all(successors.map((successor) => list(successor!.key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { expiresAt } = (await keys.find(old.id))!;
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + DAY_MS);
  });

  it('are pruned only after they have been invalid for long enough', async () => {
    const expired = await keys.issue({ name: 'expired', lifeMs: -40 * DAY_MS });
    const justExpired = await keys.issue({ name: 'just expired', lifeMs: -DAY_MS });
    const active = await keys.issue({ name: 'active' });
    expect(await keys.prune(30 * DAY_MS)).toBe(1);
    expect(await keys.find(expired.id)).toBeNull();
    expect(await keys.find(justExpired.id)).not.toBeNull();
    expect(await keys.find(active.id)).not.toBeNull();
  });

  it('record their last use at most once a minute, without delaying the request', async () => {
    const { id, key } = await keys.issue({ name: 'used' });
    const writes = jest.spyOn(repository(), 'markUsed').mockReturnValue(new Promise(() => {}));
    await list(key);
    await list(key);
    expect(writes).toHaveBeenCalledTimes(1);
    writes.mockRestore();

    const now = new Date();
    await repository().markUsed(id, now, 60_000);
    await repository().markUsed(id, new Date(now.getTime() + 1), 60_000);
    expect((await keys.find(id))!.lastUsedAt).toEqual(now);
  });

  it('record their last use again after a clock that was ahead', async () => {
    const { id, key } = await keys.issue({ name: 'ahead' });
    const lastUse = async () => (await keys.find(id))!.lastUsedAt?.getTime();
    const [clock, now] = [service.app.get(Clock), Date.now()];
    const set = jest.spyOn(clock, 'now').mockReturnValue(new Date(now + DAY_MS));
    await list(key);
    while ((await lastUse()) !== now + DAY_MS) await setTimeout(10);
    set.mockReturnValue(new Date(now));
    await list(key);
    set.mockRestore();
    for (let i = 0; i < 300 && (await lastUse()) !== now; i++) await setTimeout(10);
    expect(await lastUse()).toBe(now);
  });

  it('never appear in the log, in any form or at any level', () => {
    const log = service.log.join('\n');
    expect(log).toContain('"key":"rotated"');
    expect(log).not.toMatch(/pets_(test|live)_\w{5,}/);
    expect(log.toLowerCase()).not.toContain('authorization":"bearer');
    expect(log).not.toContain(service.key.slice(10, 42));
    expect(log).not.toContain(Buffer.from(service.key).toString('base64'));
  });
});
