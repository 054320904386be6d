import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type Service, startService } from './support/service.js';

describe('Moments in the database', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    '0001-01-01T00:00:00.000Z',
    '0004-02-29T12:00:00.001Z',
    '0099-12-31T23:59:59.999Z',
    '0100-01-01T00:00:00.000Z',
    '1883-11-18T12:00:00.000Z',
    '2026-03-31T14:30:00.250Z',
    '9999-12-31T23:59:59.999Z',
  ])('%s comes back exactly, in any time zone of the session', async (text) => {
    const runner = service.app.get(DataSource).createQueryRunner();
    try {
      for (const zone of ['UTC', 'Europe/Amsterdam', 'America/New_York']) {
        await runner.startTransaction();
        await runner.query(`SET LOCAL TimeZone = '${zone}'`);
        const rows: unknown = await runner.query(
          `SELECT $1::timestamptz AS at, to_char($1::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS text`,
          [new Date(text)],
        );
        await runner.commitTransaction();
        expect({ zone, rows }).toEqual({ zone, rows: [{ at: new Date(text), text }] });
      }
    } finally {
      await runner.release();
    }
  });

  it('a decimal comes back with all its places', async () => {
    const rows: unknown = await service.app
      .get(DataSource)
      .query(`SELECT $1::numeric(15, 2) AS price`, ['9999999999999.90']);
    expect(rows).toEqual([{ price: '9999999999999.90' }]);
  });
});
