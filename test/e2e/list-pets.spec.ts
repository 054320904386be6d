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

  describe('refuses', () => {
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
        'There is no parameter "stauts". Known: limit, after, status.',
      );
    });
  });
});
