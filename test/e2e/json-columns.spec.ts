import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { describeInside } from './support/deployment.js';
import { addToApp } from './support/every-rule.js';
import { type Service, startService } from './support/service.js';
import { ContentDto, Shelf, ShelvesModule } from './support/shelves.js';

describeInside('A jsonb column of a DTO', () => {
  let service: Service;
  let shelves: BatchedRepository<Shelf>;
  beforeAll(async () => {
    addToApp(ShelvesModule);
    service = await startService();
    shelves = service.app.get(getRepositoryToken(Shelf));
  });
  afterAll(() => service.stop());

  it('is answered as it came, to the digit and the millisecond', async () => {
    const sent =
      '"content":{"number":-9223372036854775808,"price":9999999999999.99,"since":"0001-01-01T00:00:00.001Z",' +
      '"moves":["9999-12-31T23:59:59.999Z"],"label":{"number":9007199254740993}},' +
      '"others":[{"number":9223372036854775807,"price":0.1},{"number":0}]';
    const added = await service.post('/v1/shelves', `{"name":"a",${sent}}`);
    expect(added.text).toContain(
      '"number":-9223372036854775808,"price":9999999999999.99,"since":"0001-01-01T00:00:00.001Z"',
    );
    expect(added.text).toContain('"label":{"number":9007199254740993}');
    expect(added.text).toContain('"others":[{"number":9223372036854775807,"price":0.1},{"number":0}]');
    expect((await service.get('/v1/shelves')).text).toBe(`[${added.text}]`);
  });

  it('has the types of the DTO in every method, inside a transaction or not', async () => {
    const content = Object.assign(new ContentDto(), {
      number: 9_007_199_254_740_993n,
      price: '12.50',
      since: new Date('2026-03-31T14:30:00.250Z'),
    });
    const { id } = await shelves.add({ name: 'b', content, others: [content] });
    const expected = { id, content, others: [content] };
    const seen = [
      await shelves.readOne({ id }),
      await shelves.findOneBy({ id }),
      (await shelves.readPage({ limit: 100 })).items.at(-1),
      await shelves.change({ id }, { name: 'c', content, others: [content] }),
      await shelves.manager.transaction((manager) => manager.withRepository(shelves).readOne({ id })),
      await shelves.save({ name: 'd', content, others: [content] }),
    ];
    for (const [i, shelf] of seen.entries()) {
      expect({ i, ...shelf }).toMatchObject(i < 5 ? expected : { content, others: [content] });
      expect(shelf?.content).toBeInstanceOf(ContentDto);
    }
    expect(await shelves.change({ id }, { content: null })).toMatchObject({ content: null });
    expect((await shelves.readOne({ id }))?.content).toBeNull();
  });
});
