import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { addTo, earlierTime, type Identified } from './support/additions.js';
import { describeInside } from './support/deployment.js';
import { addToApp } from './support/every-rule.js';
import { itIsPaged, walk } from './support/paged-list.js';
import { Reading, ReadingsModule } from './support/readings.js';
import { type Service, startService } from './support/service.js';

addToApp(ReadingsModule);

interface ReadingBody extends Identified {
  takenAt: string;
  urgent: boolean;
}

const add = (service: Service, ...readings: Omit<ReadingBody, 'id'>[]): Promise<ReadingBody[]> =>
  addTo(service, '/v1/readings', readings);

describeInside('A list with the latest first', () => {
  itIsPaged({
    path: '/v1/readings',
    latestBy: 'takenAt',
    add: (own, count) =>
      add(own, ...Array.from({ length: count }, () => ({ takenAt: earlierTime(), urgent: true }))),
  });

  let service: Service;
  let listed: ReadingBody[];
  beforeAll(async () => {
    service = await startService();
    const days = ['9999-12-31', '2026-01-02', '2026-01-02', '2026-01-02', '1969-12-31', '0001-01-01'];
    const added = await add(
      service,
      ...days.map((day, i) => ({ takenAt: `${day}T23:59:59.999Z`, urgent: i % 2 === 1 })),
    );
    listed = [0, 3, 2, 1, 4, 5].map((i) => added[i]!);
  });
  afterAll(() => service.stop());

  it.each([1, 2, 3, 4])('has every item once, in pages of %d, also of the same time', async (limit) => {
    expect(await walk(service, `/v1/readings?limit=${limit}`, async () => undefined)).toEqual(listed);
  });

  it('keeps filters by a value and by a list', async () => {
    const urgent = listed.filter((reading) => reading.urgent);
    const some = listed.slice(1, 5).map(({ id }) => id);
    for (const [filter, expected] of [
      ['urgent=true', urgent],
      [`ids=${some.join()}`, listed.slice(1, 5)],
      [`ids=${some.join()}&urgent=true`, urgent.slice(0, 2)],
    ] as const)
      expect(await walk(service, `/v1/readings?limit=1&${filter}`, async () => undefined)).toEqual(expected);
  });

  it('needs a time that every row has, to the millisecond', async () => {
    const readings = service.app.get<BatchedRepository<Reading>>(getRepositoryToken(Reading));
    await expect(readings.readLatest({ by: 'checkedAt' as never, limit: 1 })).rejects.toThrow(
      'A list by Reading.checkedAt needs a column of timestamptz(3) that is not nullable',
    );
  });
});
