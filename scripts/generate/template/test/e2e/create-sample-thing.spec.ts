import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uniqueText } from './support/additions.js';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { itTakesAnObject } from './support/json-input.js';
import {
  addSampleThings,
  newSampleThing,
  SAMPLE_THING,
  type SampleThingBody,
} from './support/sample-things.js';
import { type Service, startService } from './support/service.js';
import { $taken$ } from '../../src/sample-things/sample-things.errors.js';

describe('createSampleThing: POST /v1/sample/things', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'POST', path: '/v1/sample/things', body: SAMPLE_THING });
  // if list
  // else
  itAnswersErrors(() => service, { path: '/v1/sample/things' });
  // end
  itTakesAnObject(() => service, {
    path: '/v1/sample/things',
    body: SAMPLE_THING,
    required: [$required$],
  });

  it('adds a sample thing$andReturnsLocation$', async () => {
    const body = $fresh$;
    const answer = await service.post('/v1/sample/things', body);
    const { id } = answer.json as SampleThingBody;
    expectAnswer(answer, 201, { id, ...body });
    // if get
    expect(answer.headers['location']).toBe(`/v1/sample/things/${id}`);
    expectAnswer(await service.get(`/v1/sample/things/${id}`), 200, answer.json);
    // end
  });
  // if optional

  it('adds one with only what is required', async () => {
    const { $requiredNames$ } = $fresh$;
    const body = { $requiredNames$ };
    const answer = await service.post('/v1/sample/things', body);
    const { id } = answer.json as SampleThingBody;
    expectAnswer(answer, 201, { id, ...body, $defaults$ });
  });
  // end
  // if kept

  it.each([
    // $kept$
  ])('keeps %s exactly: %s', async (field, value) => {
    const body = { ...$fresh$, [field]: value };
    const answer = await service.post('/v1/sample/things', body);
    const { id } = answer.json as SampleThingBody;
    expectAnswer(answer, 201, { id, ...body });
  });
  // end

  it.each([
    // $invalid$
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.post('/v1/sample/things', { ...SAMPLE_THING, [field]: value });
    expectError(answer, 'invalid_field', expect.stringContaining(`"${field}"`));
  });
  // if nested

  it.each([
    // $faultsOfParts$
  ] as const)('answers %s for %s', async (code, path, fields) => {
    const answer = await service.post('/v1/sample/things', { ...SAMPLE_THING, ...fields });
    expectError(answer, code, expect.stringContaining(`"${path}"`));
  });
  // end
  // if unique

  it.each([
    // $takenCases$
  ] as const)('refuses a %s that is taken', async (field, error) => {
    const [other] = await addSampleThings(service, {});
    const body = { ...$fresh$, [field]: other![field] };
    expectError(await service.post('/v1/sample/things', body), error);
  });
  // end
  // if references

  it.each([$referenceNames$])('refuses %s of nothing', async (field) => {
    const body = { ...(await newSampleThing(service)), [field]: -1 };
    expectError(
      await service.post('/v1/sample/things', body),
      'invalid_field',
      expect.stringContaining(`"${field}"`),
    );
  });
  // end
});
