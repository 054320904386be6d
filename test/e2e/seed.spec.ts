import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { addAnimals } from '../../src/pets/seed/add-animals.js';
import { makeAnimals } from '../../src/pets/seed/animals.js';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

describeInside('npm run seed', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('adds animals in order and reports progress', async () => {
    const progress: number[] = [];
    const dataSource = service.app.get(DataSource);
    await addAnimals(dataSource, makeAnimals(5_003, 1), (added) => void progress.push(added));
    expect(progress).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 5_003]);
    const [first] = [...makeAnimals(1, 1)];
    const { status, ...named } = first!;
    expect((await service.get('/v1/pets?limit=1')).json).toEqual([
      { id: 1, ...named, ...(status && { status }) },
    ]);
    expect((await service.get('/v1/pets?after=5002')).json).toHaveLength(1);
  });

  it('stops at a batch that the database refuses', async () => {
    const progress: number[] = [];
    const animals = [...makeAnimals(1_000, 2), { name: '', categoryId: 1, status: null }];
    const adding = addAnimals(service.app.get(DataSource), animals, (added) => void progress.push(added));
    await expect(adding).rejects.toThrow('pets_name_length');
    expect(progress).toEqual([1_000]);
  });
});
