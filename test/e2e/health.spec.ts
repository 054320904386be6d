import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { Database } from '../../src/database/database.js';
import { Statements } from '../../src/database/statements.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

describe('Health', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(['/health/live', '/health/ready'])('%s answers 200 without a key', async (path) => {
    expectAnswer(await service.call('GET', path), 200, { status: 'ok' });
  });

  it('is logged at debug, and other requests at info', async () => {
    const levels = async (method: string, path: string): Promise<unknown[]> => {
      const from = service.log.length;
      await service.call(method, path);
      const lines = service.log.slice(from).map((line) => JSON.parse(line) as { level: number; context?: string });
      // A standby may begin to serve meanwhile.
      return lines.filter(({ context }) => context !== 'Database').map(({ level }) => level);
    };
    for (const path of ['/health/live', '/health/ready']) {
      expect(await levels('GET', path)).toEqual([20]);
      expect(await levels('HEAD', path)).toEqual([20]);
    }
    expect(await levels('GET', '/v1/pets')).toEqual([30]);
  });

  it('is live but not ready while the database does not answer', async () => {
    const database = service.app.get(Database);
    const { check } = database;
    database.check = () => Promise.reject(new Error('down'));
    const ready = await service.call('GET', '/health/ready');
    const live = await service.call('GET', '/health/live');
    database.check = check;
    expectError(ready, 'service_unavailable', 'The database does not answer.');
    expect(ready.headers['retry-after']).toBe('1');
    expect(live.status).toBe(200);
  });

  it('answers 503 to a request whose database connection breaks', async () => {
    const statements = service.app.get(Statements);
    const find = statements.findOne;
    statements.findOne = () => Promise.reject(Object.assign(new Error('Connection terminated unexpectedly')));
    const { key } = await service.app.get(KeysService).issue({ name: 'not looked up yet' });
    const answer = await service.get('/v1/pets', { headers: { authorization: `Bearer ${key}` } });
    statements.findOne = find;
    expectError(answer, 'service_unavailable', 'The service cannot answer at the moment.');
    expect(answer.headers['retry-after']).toBe('1');
  });
});
