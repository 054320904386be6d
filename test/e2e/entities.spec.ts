import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { describeOnOneServer } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

describeOnOneServer('Entities and migrations', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('describe the same tables', async () => {
    const { upQueries } = await service.app.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});
