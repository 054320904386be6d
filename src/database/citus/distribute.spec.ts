import { describe, expect, it, jest } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { distribute } from './distribute.js';

/** A coordinator that fails to distribute the table this many times. */
function coordinator(failures: number, code: string) {
  const attempts = jest.fn(() => {
    if (attempts.mock.calls.length <= failures)
      throw Object.assign(new Error('tuple concurrently updated'), { code });
  });
  const rollbackTransaction = jest.fn(async () => {});
  const runner = {
    dataSource: { entityMetadatas: [] },
    query: async (text: string) => {
      if (text.includes('create_distributed_table')) attempts();
      return text.includes('to_regclass') ? [{ id: 1 }] : [];
    },
    startTransaction: async () => {},
    commitTransaction: async () => {},
    rollbackTransaction,
  } as unknown as QueryRunner;
  return { runner, rollbackTransaction };
}

describe('Tables', () => {
  it('are distributed again after an internal error, such as that of the same in another database', async () => {
    const { runner, rollbackTransaction } = coordinator(2, 'XX000');
    expect(await distribute(runner, { records: 'digest' })).toEqual(['records']);
    expect(rollbackTransaction).toHaveBeenCalledTimes(2);
  });

  it('are not distributed again after another error', async () => {
    const { runner, rollbackTransaction } = coordinator(1, '42501');
    await expect(distribute(runner, { records: 'digest' })).rejects.toThrow('tuple');
    expect(rollbackTransaction).toHaveBeenCalledTimes(1);
  });
});
