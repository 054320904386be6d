import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itTakesAnObject } from './support/json-input.js';
import { SAMPLE_THING, type SampleThingBody } from './support/sample-things.js';
import { type Service, startService } from './support/service.js';

describe('createSampleThing: POST /v1/sample-things', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'POST', path: '/v1/sample-things', body: SAMPLE_THING });
  itTakesAnObject(() => service, { path: '/v1/sample-things', body: SAMPLE_THING, required: ['name'] });

  it('adds a sample thing and returns its Location', async () => {
    const answer = await service.post('/v1/sample-things', SAMPLE_THING);
    const { id } = answer.json as SampleThingBody;
    expectAnswer(answer, 201, { id, ...SAMPLE_THING });
    expect(answer.headers['location']).toBe(`/v1/sample-things/${id}`);
    expectAnswer(await service.get(`/v1/sample-things/${id}`), 200, answer.json);
  });

  it.each([
    ['empty', ''],
    ['white space', ' '],
    ['256 characters', 'x'.repeat(256)],
    ['two lines', 'two\nlines'],
  ])('refuses a name that is %s', async (_, name) => {
    expectError(await service.post('/v1/sample-things', { ...SAMPLE_THING, name }), 'invalid_field');
  });
});
