import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addSampleThings, type SampleThingBody } from './support/sample-things.js';
import { type Service, startService } from './support/service.js';

describe('getSampleThing: GET /v1/sample/things/{sampleThingId}', () => {
  let service: Service;
  let sampleThing: SampleThingBody;
  beforeAll(async () => {
    service = await startService();
    [sampleThing] = (await addSampleThings(service, {})) as [SampleThingBody];
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/sample/things/1' });
  itAnswersErrors(() => service, { path: '/v1/sample/things/1' });

  it('returns the sample thing', async () => {
    expectAnswer(await service.get(`/v1/sample/things/${sampleThing.id}`), 200, sampleThing);
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.get(`/v1/sample/things/${id}`), 'not_found');
    },
  );
});
