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
    expect(progress).toEqual([5_000, 5_003]);
    const [first] = [...makeAnimals(1, 1)];
    const { status, ...named } = first!;
    expect((await service.get('/v1/pets?limit=1')).json).toEqual([
      { id: 1, ...named, ...(status && { status }) },
    ]);
    expect((await service.get('/v1/pets?after=5002')).json).toHaveLength(1);
  });

  it('adds all animals or none', async () => {
    const dataSource = service.app.get(DataSource);
    const count = async (): Promise<unknown> => dataSource.query('SELECT count(*) FROM pets');
    const before = await count();
    const animals = [...makeAnimals(5_000, 2), { name: '', categoryId: 1, status: null }];
    await expect(addAnimals(dataSource, animals, () => {})).rejects.toThrow('pets_name_length');
    expect(await count()).toEqual(before);
  });
});
