import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import pg from 'pg';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { OutcomeUnknown } from '../../src/database/database-errors.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { describeWithOwnCluster } from './support/own-cluster.js';

describeWithOwnCluster('A cluster whose workers wait for a standby', (own) => {
  it('a change that is cancelled may be stored on its worker, so its outcome is unknown', async () => {
    const pets = own.app.get<BatchedRepository<Pet>>(getRepositoryToken(Pet));
    const { id } = await pets.add({ name: 'Before', categoryId: 1n, status: null });
    try {
      await configureWorkers("SET synchronous_standby_names = 'nobody'");
      await expect(pets.change({ id }, { name: 'After' })).rejects.toThrow(OutcomeUnknown);
    } finally {
      await configureWorkers('RESET synchronous_standby_names');
    }
    expect((await pets.readOne({ id }))?.name).toBe('After');
  });

  /** The checkpointer reads the setting later. PostgreSQL tells by a notice that a wait was cancelled. */
  async function untilCommitsWait(client: pg.Client, other: pg.Client): Promise<void> {
    let hasWaited = false;
    client.once('notice', () => (hasWaited = true));
    for (let attempt = 0; attempt < 100 && !hasWaited; attempt++) {
      let isAnswered = false;
      const committed = client.query("SELECT pg_logical_emit_message(true, '', '')").then(
        () => (isAnswered = true),
        () => (isAnswered = true), // cancelled before its commit
      );
      while (!isAnswered) {
        await delay(50);
        await other.query('SELECT pg_cancel_backend($1::int)', [
          (client as unknown as { processID: number }).processID,
        ]);
      }
      await committed;
    }
  }

  async function configureWorkers(change: string): Promise<void> {
    for (const worker of own.cluster.urls.slice(1)) {
      const [client, other] = [new pg.Client(worker), new pg.Client(worker)];
      await Promise.all([client.connect(), other.connect()]);
      await client.query(`ALTER SYSTEM ${change}`);
      await client.query('SELECT pg_reload_conf()');
      if (change.startsWith('SET')) await untilCommitsWait(client, other);
      await Promise.all([client.end(), other.end()]);
    }
  }
});
