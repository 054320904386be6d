import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uniqueText } from './support/additions.js';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addSampleThings, type SampleThingBody } from './support/sample-things.js';
import { type Service, startService } from './support/service.js';
import { $taken$ } from '../../src/sample-things/sample-things.errors.js';

describe('updateSampleThing: PATCH /v1/sample/things/{sampleThingId}', () => {
  let service: Service;
  let sampleThing: SampleThingBody;
  beforeAll(async () => {
    service = await startService();
    [sampleThing] = (await addSampleThings(service, {})) as [SampleThingBody];
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'PATCH', path: '/v1/sample/things/1', body: {} });
  // if get
  // else
  itAnswersErrors(() => service, { path: '/v1/sample/things/1' });
  // end

  it.each([
    // $others$
  ])('changes %s alone', async (field, value) => {
    const [before] = await addSampleThings(service, {});
    const answer = await service.patch(`/v1/sample/things/${before!.id}`, { [field]: value });
    expectAnswer(answer, 200, { ...before, [field]: value });
    // if get
    expectAnswer(await service.get(`/v1/sample/things/${before!.id}`), 200, answer.json);
    // end
  });
  // if clearable

  it.each([$clearable$] as const)('clears %s', async (field) => {
    const [before] = await addSampleThings(service, {});
    const { [field]: _, ...rest } = before!;
    expectAnswer(await service.patch(`/v1/sample/things/${before!.id}`, { [field]: null }), 200, rest);
  });
  // end

  // if unique
  it.each([
    // $takenCases$
  ] as const)('refuses the %s of another', async (field, error) => {
    const [other, own] = await addSampleThings(service, {}, {});
    const answer = await service.patch(`/v1/sample/things/${own!.id}`, { [field]: other![field] });
    expectError(answer, error);
  });

  // end
  it('changes nothing without fields', async () => {
    expectAnswer(await service.patch(`/v1/sample/things/${sampleThing.id}`, {}), 200, sampleThing);
  });

  it.each([
    ['id', 1],
    ['surprise', 1],
  ])('refuses the unknown field %s', async (field, value) => {
    expectError(
      await service.patch(`/v1/sample/things/${sampleThing.id}`, { [field]: value }),
      'unknown_field',
    );
  });

  it.each([
    // $invalidChanges$
  ])('refuses an invalid %s: %s', async (field, value) => {
    const answer = await service.patch(`/v1/sample/things/${sampleThing.id}`, { [field]: value });
    expectError(answer, 'invalid_field', expect.stringContaining(`"${field}"`));
  });

  it.each(['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'x'])(
    'answers 404 for id %s',
    async (id) => {
      expectError(await service.patch(`/v1/sample/things/${id}`, {}), 'not_found');
      expectError(await service.patch(`/v1/sample/things/${id}`, { surprise: 1 }), 'not_found');
    },
  );
});
