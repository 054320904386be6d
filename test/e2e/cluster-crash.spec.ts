import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { isDatabaseOutage } from '../../src/database/database-errors.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { describeWithOwnCluster } from './support/own-cluster.js';

describeWithOwnCluster('A cluster whose coordinator crashes', (own) => {
  it('moves on, once, the ids that it may have lost', async () => {
    const pets = own.app.get<BatchedRepository<Pet>>(getRepositoryToken(Pet));
    const add = async (): Promise<bigint> =>
      (await pets.add({ name: 'Rex', categoryId: 1n, status: null })).id;
    const before = await add();
    const [coordinator] = own.cluster.nodes;
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
