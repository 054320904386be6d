import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { ApiOperation, type OpenAPIObject } from '@nestjs/swagger';
import { Paged, Resource } from '../../src/api/decorators.js';
import { Deprecated } from '../../src/api/deprecation.js';
import { Text } from '../../src/api/fields.js';
import { Page, PageQuery } from '../../src/api/pages.js';
import { PetDto } from '../../src/pets/dto/pet.dto.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addOrder, addOrders, addPet, addPets } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { walk } from './support/walk.js';

interface Item {
  id: number | bigint;
}

const LIMIT = 'an integer from 1 to 100';
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';

const LISTS: [path: string, add: (service: Service) => Promise<Item>, many: typeof addPets | typeof addOrders][] = [
  ['/v1/pets', addPet, addPets],
  ['/v1/store/orders', addOrder, addOrders],
];

const END = new Date('2999-01-01');

class ShelfPath {
  @Text({ minLength: 1, maxLength: 9 }, { description: 'Its name.' }) readonly shelf!: string;
}

@Resource('test-shelves', 'Lists of this test')
@Controller('test-shelves')
class ShelvesController {
  @Get(':shelf/pets')
  @ApiOperation({ summary: 'List what is on a shelf' })
  @Paged({ name: 'ShelvedPets', type: PetDto, description: 'A page.', examples: {} })
  @Deprecated(() => ({ deprecatedOn: new Date(0), sunsetOn: END, successor: '/pets', advice: 'Go.' }))
  listShelf(@Param() { shelf }: ShelfPath, @Query() { limit }: PageQuery): Page<PetDto> {
    return new Page([{ id: 1n, name: shelf, categoryId: 1n }], limit === 1);
  }
}

@Module({ controllers: [ShelvesController] })
class ShelvesModule {}

let service: Service;
beforeAll(async () => {
  service = await startService({}, undefined, [ShelvesModule]);
});
afterAll(() => service.stop());

describe.each(LISTS)('The list %s', (path, addOne, addMany) => {
  describeInside('with 25 items', () => {
    let items: Item[];
    beforeAll(async () => {
      items = await addMany(service, 25);
      await service.database.query('UPDATE pets SET name = name WHERE id % 3 = 0'); // which moves the rows
      await service.database.query('UPDATE orders SET complete = complete WHERE id % 3 = 0');
    });
    const idAt = (place: number) => items.at(place)!.id;

    it('has the first 20 in ascending order of id', async () => {
      const answer = await service.get(path);
      expectAnswer(answer, 200, items.slice(0, 20));
      expect(answer.headers['link']).toBe(`<${path}>; rel="first", <${path}?after=${idAt(19)}>; rel="next"`);
    });

    it.each([1, 7, 24, 25, 100])('has at most as many as the limit, and says if there are more: %d', async (limit) => {
      const answer = await service.get(`${path}?limit=${limit}`);
      expectAnswer(answer, 200, items.slice(0, limit));
      const page = `${path}?limit=${limit}`;
      const next = limit < 25 ? `, <${page}&after=${idAt(limit - 1)}>; rel="next"` : '';
      expect(answer.headers['link']).toBe(`<${page}>; rel="first"${next}`);
    });

    it('goes on after any id, even that of no item', async () => {
      expectAnswer(await service.get(`${path}?after=${idAt(19)}`), 200, items.slice(20));
      expectAnswer(await service.get(`${path}?limit=1&after=-9223372036854775808`), 200, items.slice(0, 1));
      for (const after of [idAt(-1), '9223372036854775807']) {
        const answer = await service.get(`${path}?after=${after}`);
        expectAnswer(answer, 200, []);
        expect(answer.headers['link']).toBe(`<${path}>; rel="first"`);
      }
    });
  });

  it.each([
    ['limit=0', 'limit', LIMIT],
    ['limit=101', 'limit', LIMIT],
    ['limit=', 'limit', LIMIT],
    ['limit=ten', 'limit', LIMIT],
    ['limit=05', 'limit', LIMIT],
    ['limit=5&limit=5', 'limit', LIMIT],
    ['after=', 'after', INT64],
    ['after=-0', 'after', INT64],
    ['after=9223372036854775808', 'after', INT64],
  ])('refuses %s', async (query, name, expected) => {
    const answer = await service.get(`${path}?${query}`);
    expectError(answer, 'invalid_parameter', `The parameter "${name}" must be ${expected}.`);
  });

  const unknown = ['Limit=5', 'limit[]=5', '__proto__=1', 'constructor=1', '=1', 'access_token=x'];
  it.each(unknown)('refuses the unknown parameter in %s', async (query) => {
    expectError(await service.get(`${path}?${query}`), 'unknown_parameter');
  });

  it('is walked past every item that existed at the start exactly once, whatever is inserted meanwhile', async () => {
    const before = await addMany(service, 40);
    let added = 0;
    let isOver = false;
    let progress = (): void => {};
    const write = async (): Promise<void> => {
      while (!isOver) {
        await addOne(service);
        added++;
        progress();
      }
    };
    const writers = [write(), write(), write()];
    const threeMore = (): Promise<void> =>
      new Promise((resolve) => {
        const enough = added + 3;
        progress = () => void (added >= enough && resolve());
      });
    let pages = 0;
    const seen = await walk<Item>(service, `${path}?limit=7&after=${BigInt(before[0]!.id) - 1n}`, async () => {
      if (++pages < 10) await threeMore();
      else isOver = true;
    });
    await Promise.all(writers);

    const ids = seen.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    const known = new Set(before.map(({ id }) => id));
    expect(seen.filter(({ id }) => known.has(id))).toEqual(before);
    expect(seen.length).toBeGreaterThan(before.length);
  });
});

it('The links of a list lead to its path, however a client has spelled that', async () => {
  expect((await service.get('/%761/p%65ts?limit=1')).headers['link']).toMatch(/^<\/v1\/pets\?limit=1>; rel="first"/);
});

describeInside('A deprecated list', () => {
  it('has the links of its page and of its deprecation, and the document says so', async () => {
    const { headers } = await service.get('/v1/test-shelves/a%2Fb/pets?limit=1');
    const page = '/v1/test-shelves/a%2Fb/pets?limit=1';
    expect(headers['link']).toBe(
      `<${page}>; rel="first", <${page}&after=1>; rel="next", </v1/pets>; rel="successor-version", ` +
        '</docs/guide#the-end-of-listshelf>; rel="deprecation"; type="text/html"',
    );
    const { paths } = (await service.call('GET', '/openapi.json')).json as OpenAPIObject;
    const { responses } = paths['/test-shelves/{shelf}/pets']!.get!;
    const description = expect.stringContaining('Those of the deprecation follow');
    expect(responses[200]).toHaveProperty('headers.Link.description', description);
  });
});
