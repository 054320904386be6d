import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPet, type PetBody } from './support/resources.js';
import { type Service, startService } from './support/service.js';

describe('getPet: GET /v1/pets/{petId}', () => {
  let service: Service;
  let pet: PetBody;
  beforeAll(async () => {
    service = await startService();
    pet = await addPet(service, { name: 'Rex', categoryId: 3, status: 'sold' });
  });
  afterAll(() => service.stop());

  it('returns the animal, and ignores the query, since it declares no parameters', async () => {
    const expected = { id: pet.id, name: 'Rex', categoryId: 3, status: 'sold' };
    expectAnswer(await service.get(`/v1/pets/${pet.id}`), 200, expected);
    expectAnswer(await service.get(`/v1/pets/${pet.id}?limit=x&verbose`), 200, expected);
  });

  it.each([
    '999999999',
    '0',
    '-1',
    '9223372036854775807',
    '9223372036854775808',
    '99999999999999999999999',
    'x',
    '1.0',
    '1e0',
    '01',
    '+1',
    '%201',
    '0x1',
    '-0',
    '1%00',
    'null',
    '..%2f1',
    '1;x=1',
    'x'.repeat(5_000),
  ])('answers 404 for id %s', async (id) => {
    expectError(await service.get(`/v1/pets/${id}`), 'not_found');
  });

  describeInside('when the code fails', () => {
    it('answers with a fixed message, and logs the cause with the id of the request', async () => {
      const repository = service.app.get(PetsRepository);
      repository.findById = () => Promise.reject(new Error('secret detail'));
      const answer = await service.get('/v1/pets/1');
      Reflect.deleteProperty(repository, 'findById');
      const message = 'The service failed. Nothing about the request is known to be wrong.';
      expectError(answer, 'internal_error', message);
      const line = service.log.find((entry) => entry.includes('secret detail'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        level: 50,
        requestId: answer.headers['x-request-id'],
      });
    });
  });
});
