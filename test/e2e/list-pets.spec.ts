import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itIsPaged, walk } from './support/paged-list.js';
import { addPets, type PetBody } from './support/pets.js';
import { type Service, startService } from './support/service.js';

describe('listPets: GET /v1/pets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/pets' });
  itAnswersErrors(() => service, { path: '/v1/pets' });
  itIsPaged({
    path: '/v1/pets',
    add: (own, count) => addPets(own, ...Array.from({ length: count }, () => ({}))),
  });

  describeInside('with a catalogue of 25 animals', () => {
    let pets: PetBody[];
    beforeAll(async () => {
      const statuses = ['available', 'pending', 'sold', undefined];
      pets = await addPets(
        service,
        ...Array.from({ length: 25 }, (_, i) => {
          const status = statuses[i % 4];
          return { name: `Animal ${i}`, categoryId: i, ...(status && { status }) };
        }),
      );
    });

    it('omits the status of an animal that has none', async () => {
      const answer = await service.get('/v1/pets?limit=4');
      expect(answer.text).not.toContain('null');
      expect((answer.json as PetBody[])[3]).toEqual({ id: pets[3]!.id, name: 'Animal 3', categoryId: 3 });
    });

    it.each(['available', 'pending', 'sold'])('filters by status: %s', async (status) => {
      const answer = await service.get(`/v1/pets?status=${status}`);
      expectAnswer(
        answer,
        200,
        pets.filter((pet) => pet.status === status),
      );
    });

    it('keeps limit and status in page links', async () => {
      const answer = await service.get('/v1/pets?status=sold&limit=2');
      const [, second] = pets.filter(({ status }) => status === 'sold');
      expect(answer.headers['link']).toBe(
        `</v1/pets?status=sold&limit=2>; rel="first", </v1/pets?status=sold&limit=2&after=${second!.id}>; rel="next"`,
      );
    });

    it('keeps the filter from page to page while animals are added', async () => {
      const sold = pets.filter(({ status }) => status === 'sold');
      const seen = await walk(service, '/v1/pets?status=sold&limit=4', () => addPets(service, {}));
      expect(seen).toEqual(sold);
    });
  });

  describeInside('lists animals by id', () => {
    const ABSENT = ['-9223372036854775808', '9007199254740993', '9223372036854775807'];
    let pets: PetBody[];
    let own: (...at: number[]) => string;
    beforeAll(async () => {
      const statuses = ['available', 'sold'];
      pets = await addPets(service, ...Array.from({ length: 100 }, (_, i) => ({ status: statuses[i % 2] })));
      own = (...at) => at.map((i) => pets[i]!.id).join(',');
    });

    it('in ascending order, and leaves out those that do not exist', async () => {
      const answer = await service.get(`/v1/pets?ids=${ABSENT.join(',')},${own(7, 3, 99)}`);
      expectAnswer(answer, 200, [pets[3], pets[7], pets[99]]);
      expectAnswer(await service.get(`/v1/pets?ids=${ABSENT.join(',')}`), 200, []);
      expectAnswer(await service.get(`/v1/pets?ids=${own(7)}`), 200, [pets[7]]);
    });

    it('with a status and a start', async () => {
      const listed = `/v1/pets?ids=${own(1, 2, 3, 5, 6)}`;
      expectAnswer(await service.get(`${listed}&status=sold`), 200, [pets[1], pets[3], pets[5]]);
      expectAnswer(await service.get(`${listed}&after=${own(2)}`), 200, [pets[3], pets[5], pets[6]]);
      expectAnswer(await service.get(`${listed}&status=sold&after=${own(1)}`), 200, [pets[3], pets[5]]);
      expectAnswer(await service.get(`${listed}&status=pending`), 200, []);
    });

    it('a page at a time, up to 100', async () => {
      const all = `/v1/pets?ids=${pets.map(({ id }) => id).join(',')}`;
      expectAnswer(await service.get(all), 200, pets.slice(0, 20));
      const whole = await service.get(`${all}&limit=100`);
      expectAnswer(whole, 200, pets);
      expect(whole.headers['link']).not.toContain('rel="next"');
    });

    it('and keeps them in page links', async () => {
      const { headers } = await service.get(`/v1/pets?limit=1&ids=${own(4, 2)}`);
      const kept = `/v1/pets?limit=1&ids=${own(4)}%2C${own(2)}`;
      expect(headers['link']).toBe(`<${kept}>; rel="first", <${kept}&after=${own(2)}>; rel="next"`);
      const seen = await walk(service, `/v1/pets?limit=1&ids=${own(9, 2, 4)}`, () => addPets(service, {}));
      expect(seen).toEqual([pets[2], pets[4], pets[9]]);
    });

    it('also if the commas are percent-encoded', async () => {
      const encoded = encodeURIComponent(own(3, 1));
      expectAnswer(await service.get(`/v1/pets?ids=${encoded}`), 200, [pets[1], pets[3]]);
    });

    it('also a hundred of the longest, encoded', async () => {
      const longest = Array.from({ length: 99 }, (_, i) => `${-9223372036854775808n + BigInt(i)}`);
      const query = encodeURIComponent([...longest, pets[0]!.id].join(','));
      expectAnswer(await service.get(`/v1/pets?limit=100&ids=${query}`), 200, [pets[0]]);
    });
  });

  describe('refuses', () => {
    const LIST = 'a list of 1 to 100 items, none twice';
    const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';
    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i).join(',');

    it.each([
      ['ids=', 'ids[0]', INT64],
      ['ids', 'ids[0]', INT64],
      ['ids=,', 'ids[0]', INT64],
      ['ids=1,,2', 'ids[1]', INT64],
      ['ids=1,', 'ids[1]', INT64],
      ['ids=05', 'ids[0]', INT64],
      ['ids=+5', 'ids[0]', INT64],
      ['ids=%2B5', 'ids[0]', INT64],
      ['ids=%205', 'ids[0]', INT64],
      ['ids=1, 5', 'ids[1]', INT64],
      ['ids=1,-0', 'ids[1]', INT64],
      ['ids=1;2', 'ids[0]', INT64],
      ['ids=1,9223372036854775808', 'ids[1]', INT64],
      ['ids=-9223372036854775809', 'ids[0]', INT64],
      ['ids=1%252C2', 'ids[0]', INT64],
      ['ids=1,5,1', 'ids', LIST],
      [`ids=${upTo(101)}`, 'ids', LIST],
      ['ids=1&ids=5', 'ids', LIST],
      ['ids=1&ids=1', 'ids', LIST],
    ])('%s', async (query, name, expected) => {
      const answer = await service.get(`/v1/pets?${query.replace(' ', '%20')}`);
      expectError(answer, 'invalid_parameter', `The parameter "${name}" must be ${expected}.`);
    });

    it.each([
      ['status=lost', 'status', 'one of available, pending, sold'],
      ['status=Sold', 'status', 'one of available, pending, sold'],
      ['status=', 'status', 'one of available, pending, sold'],
      ['status=sold&status=pending', 'status', 'one of available, pending, sold'],
    ])('%s', async (query, name, expected) => {
      const answer = await service.get(`/v1/pets?${query}`);
      expectError(answer, 'invalid_parameter', `The parameter "${name}" must be ${expected}.`);
    });

    it('a misspelled parameter, and lists the known ones', async () => {
      const answer = await service.get('/v1/pets?stauts=sold');
      expectError(
        answer,
        'unknown_parameter',
        'There is no parameter "stauts". Known: limit, after, status, ids.',
      );
    });
  });
});
