import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import { type CitusCluster, startCitus } from '../../scripts/support/citus-cluster.mjs';
import { findPostgres } from '../../scripts/support/postgres-binaries.mjs';
import { createApp } from '../../src/app.js';
import { Config } from '../../src/common/config/config.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { CITUS } from '../../src/database/citus/citus.js';
import { Database } from '../../src/database/database.js';
import { isDatabaseOutage } from '../../src/database/database-errors.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { isCluster } from './support/database.js';
import { connectionTo } from './support/own-servers.js';

// A cluster of its own, whose coordinator crashes.
(isCluster ? describe : describe.skip)('A cluster whose coordinator crashes', () => {
  let cluster: CitusCluster;
  let app: Awaited<ReturnType<typeof createApp>>;
  beforeAll(async () => {
    cluster = await startCitus(findPostgres() ?? '');
    const { serviceUrl, workerUrls: standbyUrls } = cluster;
    app = await createApp(Object.assign(new Config(), { logLevel: 'silent' }), {
      connection: { ...connectionTo(serviceUrl), distribution: CITUS, standbyUrls },
    });
    await app.init();
    await app.get(Database).whenReady();
  }, 60_000);
  afterAll(async () => {
    try {
      await app?.close();
    } finally {
      await cluster?.stop();
    }
  }, 60_000);

  it('moves on, once, the ids that it may have lost', async () => {
    const pets = app.get<BatchedRepository<Pet>>(getRepositoryToken(Pet));
    const add = async (): Promise<bigint> =>
      (await pets.add({ name: 'Rex', categoryId: 1n, status: null })).id;
    const before = await add();
    const [coordinator] = cluster.nodes;
    await coordinator?.pgCtl('stop', '-m', 'immediate');
    await coordinator?.pgCtl('start');
    const first = await untilAvailable(add);
    expect(first).toBeGreaterThanOrEqual(before + 16_384n);
    const others = await Promise.all(Array.from({ length: 40 }, add));
    for (const id of others) expect(id).toBeLessThan(before + 2n * 16_384n);
  }, 60_000);
});

async function untilAvailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      await delay(50);
    }
}
