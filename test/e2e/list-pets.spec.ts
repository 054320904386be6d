import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPets, type PetBody } from './support/pets.js';
import { type Service, startService } from './support/service.js';

describe('listPets: GET /v1/pets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/pets' });
  itAnswersErrors(() => service, { path: '/v1/pets', allow: 'GET, HEAD, OPTIONS, POST' });

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

    it('answers a bare array of the first 20, in ascending order of id', async () => {
      const answer = await service.get('/v1/pets');
      expectAnswer(answer, 200, pets.slice(0, 20));
      expect(answer.headers['link']).toBe(
        `</v1/pets>; rel="first", </v1/pets?after=${pets[19]!.id}>; rel="next"`,
      );
    });

    it('leaves out the status of an animal that has none', async () => {
      const answer = await service.get('/v1/pets?limit=4');
      expect(answer.text).not.toContain('null');
      expect((answer.json as PetBody[])[3]).toEqual({ id: pets[3]!.id, name: 'Animal 3', categoryId: 3 });
    });

    it.each([1, 7, 24])('answers at most as many as the limit: %d', async (limit) => {
      const answer = await service.get(`/v1/pets?limit=${limit}`);
      expectAnswer(answer, 200, pets.slice(0, limit));
      expect(answer.headers['link']).toContain(
        `</v1/pets?limit=${limit}&after=${pets[limit - 1]!.id}>; rel="next"`,
      );
    });

    it.each([25, 100])('links no next page when there is none: limit %d', async (limit) => {
      const answer = await service.get(`/v1/pets?limit=${limit}`);
      expectAnswer(answer, 200, pets);
      expect(answer.headers['link']).toBe(`</v1/pets?limit=${limit}>; rel="first"`);
    });

    it.each(['available', 'pending', 'sold'])('filters by status: %s', async (status) => {
      const answer = await service.get(`/v1/pets?status=${status}`);
      expectAnswer(
        answer,
        200,
        pets.filter((pet) => pet.status === status),
      );
    });

    it('keeps limit and status in its links', async () => {
      const answer = await service.get('/v1/pets?status=sold&limit=2');
      const [, second] = pets.filter(({ status }) => status === 'sold');
      expect(answer.headers['link']).toBe(
        `</v1/pets?status=sold&limit=2>; rel="first", </v1/pets?status=sold&limit=2&after=${second!.id}>; rel="next"`,
      );
    });

    it('continues after an id, whether or not an animal has it', async () => {
      expectAnswer(await service.get(`/v1/pets?after=${pets[19]!.id}`), 200, pets.slice(20));
      expectAnswer(await service.get('/v1/pets?limit=1&after=-9223372036854775808'), 200, pets.slice(0, 1));
      expectAnswer(await service.get('/v1/pets?after=9223372036854775807'), 200, []);
    });

    it('answers HEAD like GET, without the body', async () => {
      const get = await service.get('/v1/pets');
      const head = await service.call('HEAD', '/v1/pets', {
        headers: { authorization: `Bearer ${service.key}` },
      });
      expect({ status: head.status, body: head.text }).toEqual({ status: 200, body: '' });
      expect(head.headers['link']).toBe(get.headers['link']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    });
  });

  describe('refuses what it cannot take', () => {
    it.each([
      ['limit=0', 'limit', 'an integer from 1 to 100'],
      ['limit=101', 'limit', 'an integer from 1 to 100'],
      ['limit=-1', 'limit', 'an integer from 1 to 100'],
      ['limit=', 'limit', 'an integer from 1 to 100'],
      ['limit', 'limit', 'an integer from 1 to 100'],
      ['limit=ten', 'limit', 'an integer from 1 to 100'],
      ['limit=1.0', 'limit', 'an integer from 1 to 100'],
      ['limit=0x10', 'limit', 'an integer from 1 to 100'],
      ['limit=1e1', 'limit', 'an integer from 1 to 100'],
      ['limit=+5', 'limit', 'an integer from 1 to 100'],
      ['limit=%205', 'limit', 'an integer from 1 to 100'],
      ['limit=05', 'limit', 'an integer from 1 to 100'],
      ['limit=5&limit=5', 'limit', 'an integer from 1 to 100'],
      ['limit=99999999999999999999', 'limit', 'an integer from 1 to 100'],
      ['status=lost', 'status', 'one of available, pending, sold'],
      ['status=Sold', 'status', 'one of available, pending, sold'],
      ['status=', 'status', 'one of available, pending, sold'],
      ['status=sold&status=pending', 'status', 'one of available, pending, sold'],
      ['after=x', 'after', 'an integer from -9223372036854775808 to 9223372036854775807'],
      ['after=', 'after', 'an integer from -9223372036854775808 to 9223372036854775807'],
      ['after=-0', 'after', 'an integer from -9223372036854775808 to 9223372036854775807'],
      ['after=9223372036854775808', 'after', 'an integer from -9223372036854775808 to 9223372036854775807'],
    ])('%s', async (query, name, expected) => {
      const answer = await service.get(`/v1/pets?${query}`);
      expectError(answer, 'invalid_parameter', `The parameter "${name}" must be ${expected}.`);
    });

    it.each(['Limit=5', 'state=sold', 'limit[]=5', '__proto__=1', 'constructor=1', '=1', 'access_token=x'])(
      'a parameter that it does not know: %s',
      async (query) => {
        expectError(await service.get(`/v1/pets?${query}`), 'unknown_parameter');
      },
    );

    it('and names the parameter with what there is instead', async () => {
      const answer = await service.get('/v1/pets?stauts=sold');
      expectError(
        answer,
        'unknown_parameter',
        'There is no parameter "stauts". Known: status, limit, after.',
      );
    });
  });
});
