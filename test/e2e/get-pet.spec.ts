import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '../../src/api/errors/error-catalogue.js';
import { itAnswersErrors, itRequiresAnApiKey } from './support/behaviours.js';
import type { Answer } from './support/client.js';
import { itIsDeprecated } from './support/deprecated-operation.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { PetsSettings } from '../../src/pets/pets.settings.js';
import { addPets, type PetBody } from './support/pets.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

const LAST_INSTANT = '2030-12-04T23:59:59Z';
const SUNSET = '2030-12-05T00:00:00Z';

const END = 'Connection: close\r\n\r\n';

function expectDeprecation(answer: Pick<Answer, 'headers'>): void {
  expect(answer.headers).toMatchObject({
    deprecation: '@1764892800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"',
  });
}

describe('getPet: GET /v1/pets/{petId}', () => {
  let service: Service;
  let pet: PetBody;
  beforeAll(async () => {
    service = await startService();
    [pet] = (await addPets(service, { name: 'Rex', categoryId: 3, status: 'sold' })) as [PetBody];
  });
  afterAll(() => service.stop());

  itRequiresAnApiKey(() => service, { method: 'GET', path: '/v1/pets/1' });
  itAnswersErrors(() => service, { path: '/v1/pets/1' });

  itIsDeprecated({
    deprecatedOn: '2025-12-05',
    sunsetOn: SUNSET,
    path: async (own) => {
      const [added] = await addPets(own, {});
      return `/v1/pets/${added!.id}`;
    },
  });

  it('returns the animal', async () => {
    expectAnswer(await service.get(`/v1/pets/${pet.id}`), 200, {
      id: pet.id,
      name: 'Rex',
      categoryId: 3,
      status: 'sold',
    });
  });

  it('ignores the query, since it declares no parameters', async () => {
    expectAnswer(await service.get(`/v1/pets/${pet.id}?limit=x&verbose`), 200, pet);
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

  describe('announces its sunset on every answer', () => {
    it('200', async () => expectDeprecation(await service.get(`/v1/pets/${pet.id}`)));
    it('401', async () => expectDeprecation(await service.call('GET', '/v1/pets/1')));
    it('404', async () => expectDeprecation(await service.get('/v1/pets/999999999')));
    it('404 for an invalid id', async () => expectDeprecation(await service.get('/v1/pets/x')));
    it('HEAD', async () => {
      const headers = { authorization: `Bearer ${service.key}` };
      const answer = await service.call('HEAD', `/v1/pets/${pet.id}`, { headers });
      expect(answer.status).toBe(200);
      expectDeprecation(answer);
    });
    it.each<[string, ErrorCode, string]>([
      ['a long query', 'uri_too_long', `/v1/pets/1?${'x'.repeat(9_000)}`],
      ['a long id', 'uri_too_long', `/v1/pets/${'1'.repeat(9_000)}`],
      ['a query beyond the limit of all headers', 'uri_too_long', `/v1/pets/1?${'x'.repeat(20_000)}`],
      ['broken percent-encoding', 'bad_request', '/v1/pets/%zz'],
      ['an incomplete one', 'bad_request', '/v1/pets/1%'],
      ['a fragment', 'bad_request', '/v1/%70ets/1#x'],
      ['a large header', 'headers_too_large', `/v1/pets/1 HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\nY:`],
      ['many headers', 'headers_too_large', `/v1/pets/1 HTTP/1.1${'\r\nX: x'.repeat(101)}\r\nY:`],
      ['a malformed header', 'bad_request', '/v1/pets/1 HTTP/1.1\r\nno header\r\nY:'],
      ['that and a whole URL', 'bad_request', 'http://x/v1/pets/1 HTTP/1.1\r\nno header\r\nY:'],
    ])('%s: %s', async (_, code, start) => {
      const announced = await sendRaw(service.origin, `GET ${start} HTTP/1.1\r\nHost: x\r\n${END}`);
      expect(announced).toContain(`"${code}"`);
      expectDeprecation(parseRaw(announced));
      const other = start.replace(/ets\/[^? ]+/, 'ets');
      const plain = await sendRaw(service.origin, `GET ${other} HTTP/1.1\r\nHost: x\r\n${END}`);
      expect(parseRaw(plain).headers).not.toHaveProperty('sunset');
    });
    it('but not on that of a malformed request behind its own', async () => {
      const answers = await sendRaw(
        service.origin,
        `GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\n\r\nno request\r\n\r\n`,
      );
      expect(answers).toMatch(/^HTTP\/1\.1 401 [^]*\nsunset: [^]*HTTP\/1\.1 400 /);
      expect(answers.split('sunset:')).toHaveLength(2);
    });
    it('but not on the other operations', async () => {
      for (const answer of [await service.get('/v1/pets'), await service.post('/v1/pets', {})]) {
        expect(answer.headers).not.toHaveProperty('sunset');
        expect(answer.headers).not.toHaveProperty('deprecation');
      }
    });
  });

  it('answers an internal error with a fixed message, and logs the cause', async () => {
    const repository = service.app.get(PetsRepository);
    const find = repository.findById;
    repository.findById = () => Promise.reject(new Error('secret detail'));
    const answer = await service.get('/v1/pets/1');
    repository.findById = find;
    expectError(
      answer,
      'internal_error',
      'The service failed. Nothing about the request is known to be wrong.',
    );
    expectDeprecation(answer);
    const line = service.log.find((entry) => entry.includes('secret detail'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, requestId: answer.headers['x-request-id'] });
  });
});

describe('getPet around its sunset', () => {
  let service: Service;
  let pet: PetBody;
  beforeAll(async () => {
    service = await startService({}, LAST_INSTANT);
    [pet] = (await addPets(service, {})) as [PetBody];
  });
  afterAll(() => service.stop());

  it('works until the last second', async () => {
    service.clock.moveTo(LAST_INSTANT);
    expectAnswer(await service.get(`/v1/pets/${pet.id}`), 200, pet);
    expect((await service.post('/v1/pets', { name: 'Rex', categoryId: 1 })).headers).toHaveProperty(
      'location',
    );
  });

  it('answers 410 for every id from the sunset on, and names the replacement', async () => {
    service.clock.moveTo(SUNSET);
    for (const id of [pet.id, 'x', 999_999]) {
      const answer = await service.get(`/v1/pets/${id}`);
      expectError(
        answer,
        'gone',
        'This operation was removed on 5 December 2030. Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
      );
      expectDeprecation(answer);
    }
  });

  it('leaves new animals without a Location from the sunset on', async () => {
    service.clock.moveTo(SUNSET);
    const answer = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('location');
    expect((await service.get('/v1/pets')).status).toBe(200);
  });
});

describe('getPet with other settings', () => {
  it('answers 410 during a sunset rehearsal', async () => {
    const service = await startService({ sunsetRehearsal: true });
    const answer = await service.get('/v1/pets/1');
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    await service.stop();
    expectError(answer, 'gone');
    expectDeprecation(answer);
    expect(created.headers).not.toHaveProperty('location');
  });

  it('uses the configured dates and public URL in its headers and in the document', async () => {
    const service = await startService({
      featureSettings: [
        Object.assign(new PetsSettings(), {
          getPetDeprecatedOn: new Date('2026-01-01T00:00:00Z'),
          getPetSunsetOn: new Date('2031-02-03T00:00:00Z'),
        }),
      ],
      publicUrl: 'https://pets.example.org/store/v1',
    });
    const answer = await service.get('/v1/pets/1');
    const list = await service.get('/v1/pets');
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const document = (await service.call('GET', '/openapi.json')).json;
    await service.stop();
    expect(answer.headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Mon, 03 Feb 2031 00:00:00 GMT',
      link: '<https://pets.example.org/store/v1/pets>; rel="successor-version", <https://pets.example.org/store/docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"',
    });
    expect(list.headers['link']).toBe('<https://pets.example.org/store/v1/pets>; rel="first"');
    expect(created.headers['location']).toBe('https://pets.example.org/store/v1/pets/1');
    expect(document).toMatchObject({
      servers: [{ url: '/store/v1' }, {}, {}],
      paths: {
        '/pets/{petId}': {
          get: {
            deprecated: true,
            'x-sunset': '2031-02-03',
            description: expect.stringContaining('to be removed on 3 February 2031'),
          },
        },
      },
    });
  });
});
