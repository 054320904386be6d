import { afterAll, beforeAll, describe } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { itIsPaged } from './support/paged-list.js';
import { addSampleThings } from './support/sample-things.js';
import { type Service, startService } from './support/service.js';

describe('listSampleThings: GET /v1/sample/things', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/sample/things' });
  itAnswersErrors(() => service, { path: '/v1/sample/things' });
  itIsPaged({
    path: '/v1/sample/things',
    add: (own, count) => addSampleThings(own, ...Array.from({ length: count }, () => ({}))),
  });
});
