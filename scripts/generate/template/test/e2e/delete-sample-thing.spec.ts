import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectError } from './support/expectations.js';
import { addSampleThings } from './support/sample-things.js';
import { type Service, startService } from './support/service.js';

describe('deleteSampleThing: DELETE /v1/sample/things/{sampleThingId}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'DELETE', path: '/v1/sample/things/1' });
  // if get|update
  // else
  itAnswersErrors(() => service, { path: '/v1/sample/things/1' });
  // end

  it('deletes the sample thing alone, once', async () => {
    const [sampleThing, other] = await addSampleThings(service, {}, {});
    const answer = await service.delete(`/v1/sample/things/${sampleThing!.id}`);
    expect({ status: answer.status, body: answer.text }).toEqual({ status: 204, body: '' });
    expectError(await service.delete(`/v1/sample/things/${sampleThing!.id}`), 'not_found');
    // if get
    expectError(await service.get(`/v1/sample/things/${sampleThing!.id}`), 'not_found');
    // end
    expect((await service.delete(`/v1/sample/things/${other!.id}`)).status).toBe(204);
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.delete(`/v1/sample/things/${id}`), 'not_found');
    },
  );
});
