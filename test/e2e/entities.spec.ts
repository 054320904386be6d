import { expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { describeOnOneServer } from './support/deployment.js';
import { startService } from './support/service.js';

describeOnOneServer('Entities and migrations', () => {
  it('describe the same tables', async () => {
    const service = await startService();
    const { upQueries } = await service.app.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    await service.stop();
  });
});
