import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { StatementQueues } from '../batching/statement-queues.js';
import { DatabaseBusy } from '../database-errors.js';
import { Kept } from '../kept.js';
import { DistributedRepository } from './distributed-repository.js';

@Entity()
@Kept('distributed')
class Owner {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;
}

class Described extends DataSource {
  override readonly isInitialized = true;

  describe(): Promise<void> {
    return this.buildMetadatas();
  }
}

describe('A page that crosses blocks', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends within the limits of one read, however long each part may take', async () => {
    const dataSource = new Described({ type: 'postgres', entities: [Owner] });
    await dataSource.describe();
    const answers = [
      new Promise((resolve) => setTimeout(() => resolve([{ id: 1n, name: 'Ada' }]), 700)),
      new Promise(() => {}), // a silent node
    ];
    const queues = {
      read: () => answers.shift(),
      readAtPrimary: () => Promise.resolve([{ id: 9_000n }]),
    } as unknown as StatementQueues;
    const owners = new DistributedRepository(Owner, dataSource.manager, queues);
    const page = owners.readPage({ limit: 20 }).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(950);
    expect(answers).toHaveLength(0);
    expect(await page).toBeInstanceOf(DatabaseBusy);
  });
});
