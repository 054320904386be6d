import { expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { requireCluster } from './require-cluster.js';

it('A coordinator that recovers commits too rarely is refused', async () => {
  const withInterval = (setting: number): QueryRunner =>
    ({ query: async () => [{ groupid: 0, setting }] }) as unknown as QueryRunner;
  for (const setting of [-1, 60_000])
    await expect(requireCluster(withInterval(setting))).rejects.toThrow(
      'run ALTER SYSTEM SET citus.recover_2pc_interval = 500, then SELECT pg_reload_conf()',
    );
  await requireCluster(withInterval(500));
});
