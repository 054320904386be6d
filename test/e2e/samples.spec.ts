import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SamplesModule } from '../../scripts/template/samples.module.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError, expectOneWinner } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const SAMPLES = '/v1/samples';

interface SampleBody {
  id: number;
  name: string;
  openFrom?: string;
}

describeInside('A sample', () => {
  let service: Service;
  let count = 0;
  const bodyOf = (fields: object = {}) => ({ name: `Sample ${++count}`, ...fields });
  const add = async (fields?: object): Promise<SampleBody> =>
    (await service.post(SAMPLES, bodyOf(fields))).json as SampleBody;
  beforeAll(async () => {
    service = await startService({}, undefined, [SamplesModule]);
  });
  afterAll(() => service.stop());

  it('is added, read, and listed', async () => {
    const body = bodyOf({ openFrom: '2026-03-31T16:30:00+02:00' });
    const answer = await service.post(SAMPLES, body);
    const { id } = answer.json as SampleBody;
    expectAnswer(answer, 201, { ...body, id, openFrom: '2026-03-31T14:30:00.000Z' });
    expect(answer.headers['location']).toBe(`${SAMPLES}/${id}`);
    expectAnswer(await service.get(`${SAMPLES}/${id}`), 200, answer.json);
    expectAnswer(await service.get(`${SAMPLES}?after=${id - 1}`), 200, [answer.json]);
  });

  it('is listed a page at a time', async () => {
    const added = [await add(), await add(), await add()];
    const after = added[0]!.id - 1;
    const page = await service.get(`${SAMPLES}?limit=2&after=${after}`);
    expectAnswer(page, 200, added.slice(0, 2));
    expect(page.headers['link']).toContain(`<${SAMPLES}?limit=2&after=${added[1]!.id}>; rel="next"`);
    expectError(await service.get(`${SAMPLES}?limit=0`), 'invalid_parameter');
  });

  it('has a name of its own', async () => {
    const [first, second] = [await add(), await add()];
    const { name } = first;
    expectError(await service.post(SAMPLES, bodyOf({ name })), 'sample_name_taken');
    expectError(await service.patch(`${SAMPLES}/${second.id}`, { name }), 'sample_name_taken');
    expectAnswer(await service.patch(`${SAMPLES}/${first.id}`, { name }), 200, first);
  });

  it('has a name of its own, however many ask for it at once', async () => {
    const body = bodyOf();
    await expectOneWinner(20, () => service.post(SAMPLES, body), 'sample_name_taken');
  });

  it.each([
    ['name', ''],
    ['name', 'x'.repeat(256)],
    ['name', null],
    ['openFrom', '2026-02-30T12:00:00Z'],
    ['openFrom', null],
  ])('is refused with the %s %j', async (field, value) => {
    const message = expect.stringContaining(`"${field}"`);
    expectError(await service.post(SAMPLES, bodyOf({ [field]: value })), 'invalid_field', message);
  });

  it('is changed, and its date is cleared by null', async () => {
    const { openFrom, ...sample } = await add({ openFrom: '2026-03-31T14:30:00Z' });
    const path = `${SAMPLES}/${sample.id}`;
    const changed = { ...sample, name: `Sample ${++count}` };
    expectAnswer(await service.patch(path, { name: changed.name }), 200, { ...changed, openFrom });
    expectAnswer(await service.patch(path, { openFrom: null }), 200, changed);
    expectAnswer(await service.patch(path, {}), 200, changed);
    expectAnswer(await service.get(path), 200, changed);
  });

  it('is deleted once', async () => {
    const path = `${SAMPLES}/${(await add()).id}`;
    expect((await service.delete(path)).status).toBe(204);
    for (const method of ['get', 'delete'] as const) expectError(await service[method](path), 'not_found');
    expectError(await service.patch(path, {}), 'not_found');
  });

  it('is added once under an Idempotency-Key', async () => {
    const [body, headers] = [bodyOf(), { 'idempotency-key': 'once' }];
    const first = await service.post(SAMPLES, body, { headers });
    const again = await service.post(SAMPLES, body, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('needs an API key', async () => {
    expectError(await service.call('GET', SAMPLES), 'missing_api_key');
  });
});
