import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotencyRecords } from '../../src/api/idempotency/idempotency-records.js';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const REX = { name: 'Rex', categoryId: 1 };

const isReplay = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';

describeInside('The record of a request', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const run = (sql: string) => service.database.query(sql);
  const create = (key: string, body: object = REX, apiKey = service.key, at = service) =>
    at.post('/v1/pets', body, { headers: { 'idempotency-key': key, authorization: `Bearer ${apiKey}` } });
  const deleteExpired = () => service.app.get(IdempotencyRecords).deleteExpired();
  const age = (interval: string) => run(`UPDATE idempotency_records SET created_at = now() - interval '${interval}'`);

  it('belongs to its API key and to those that replace it; two keys never meet', async () => {
    const keys = service.app.get(KeysService);
    const first = await keys.issue({ name: 'same name' });
    const other = await keys.issue({ name: 'same name' });
    const second = await keys.rotate(first.id, 60_000);
    const third = await keys.rotate(second!.id, 60_000);
    const key = randomUUID();
    const { text } = await create(key, REX, first.key);
    for (const successor of [second, third]) {
      const again = await create(key, REX, successor!.key);
      expect([again.text, isReplay(again)]).toEqual([text, true]);
    }
    const strange = await create(key, REX, other.key);
    expect([strange.status, isReplay(strange), strange.text === text]).toEqual([201, false, false]);
    expect((await create(key, { ...REX, name: 'Max' }, service.key)).status).toBe(201);
  });

  it('is kept for 24 hours, and no longer than needed', async () => {
    const key = randomUUID();
    const { text } = await create(key);
    await age('23 hours 59 minutes');
    await deleteExpired();
    expect((await create(key)).text).toBe(text);
    await age('24 hours 1 minute');
    const recent = randomUUID();
    await create(recent);
    await deleteExpired();
    expect(await run('SELECT FROM idempotency_records')).toHaveLength(1);
    const later = await create(key, { ...REX, name: 'Max' });
    expect([later.status, isReplay(later)]).toEqual([201, false]);
    expect(isReplay(await create(recent))).toBe(true);
  });

  it('is stored with the change, or neither is', async () => {
    await run('ALTER TABLE idempotency_records ADD CONSTRAINT none CHECK (false) NOT VALID');
    const key = randomUUID();
    const pet = { ...REX, name: `Never ${key}` };
    const refused = await create(key, pet);
    await run('ALTER TABLE idempotency_records DROP CONSTRAINT none');
    expectError(refused, 'internal_error');
    expect(refused.headers).not.toHaveProperty('location');
    expect(await run(`SELECT FROM pets WHERE name = '${pet.name}'`)).toEqual([]);
    expect((await create(key, pet)).status).toBe(201);
    expect(await run(`SELECT FROM pets WHERE name = '${pet.name}'`)).toHaveLength(1);
  });

  describe('between two replicas', () => {
    let other: Service;
    beforeAll(async () => {
      other = await startService({}, undefined, [], service);
    });
    afterAll(() => other.stop());

    it('makes an equal request wait for the first', async () => {
      const key = randomUUID();
      const blocker = await service.database.connect();
      await blocker.query('BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE');
      const first = create(key);
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await until(async () => (await run(waiting)).length === 1);
      const second = create(key, REX, service.key, other);
      await until(async () => (await run(waiting)).length === 2);
      await blocker.query('ROLLBACK');
      await blocker.end();
      expect((await first).status).toBe(201);
      expect([isReplay(await second), (await second).text]).toEqual([true, (await first).text]);
    });
  });
});
