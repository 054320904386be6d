import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPet, type PetBody } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';

const LAST_INSTANT = '2030-12-04T23:59:59.999Z';
const SUNSET = '2030-12-05T00:00:00Z';

const LINKS =
  '</v1/pets>; rel="successor-version", </docs/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"';

function expectAnnounced({ headers }: Pick<Answer, 'headers'>): void {
  expect(headers).toMatchObject({ deprecation: '@1764892800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', link: LINKS });
}

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

  it('answers each of many that ask at once, for the same animal too', async () => {
    const other = await addPet(service, { name: 'Minka' });
    const ids = Array.from({ length: 25 }, () => [pet.id, '0', other.id]).flat();
    const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
    const gets = ids.map((id) => `GET /v1/pets/${id} HTTP/1.1\r\n${head}\r\n`).join(''); // arrive together, share statements
    const received = await sendRaw(service.origin, `${gets}GET /end HTTP/1.1\r\nConnection: close\r\n${head}\r\n`);
    const names = [...received.matchAll(/"(?:name|code)":"(\w+)"/g)].map(([, name]) => name);
    const nameOf = (id: unknown) => (id === pet.id ? 'Rex' : id === other.id ? 'Minka' : 'not_found');
    expect(names).toEqual([...ids, 'end'].map(nameOf));
  });

  const unknown = ['999999999', '0', '9223372036854775808', 'x', '%201', '-0', '1%00', 'x'.repeat(5_000)];
  it.each(unknown)('answers 404 for id %s', async (id) => {
    expectError(await service.get(`/v1/pets/${id}`), 'not_found');
  });
});

describeInside('getPet', () => {
  let service: Service;
  let pet: PetBody;
  beforeAll(async () => {
    service = await startService({}, LAST_INSTANT);
    pet = await addPet(service);
  });
  afterAll(() => service.stop());

  it('works until the last millisecond before its sunset', async () => {
    expectAnswer(await service.get(`/v1/pets/${pet.id}`), 200, pet);
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(created.headers).toHaveProperty('location');
  });

  it.each([
    ['200', () => service.get(`/v1/pets/${pet.id}`)],
    ['401', () => service.call('GET', '/v1/pets/1')],
    ['404', () => service.get('/v1/pets/999999999')],
  ])('announces its sunset on every answer: %s', async (_, send) => {
    expectAnnounced(await send());
  });

  describe('from its sunset on', () => {
    beforeAll(() => service.clock.moveTo(SUNSET));

    it('answers 410 for every id, and names the replacement', async () => {
      const message =
        'This operation was removed on 5 December 2030. Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.';
      for (const id of [pet.id, 'x', 999_999]) {
        const answer = await service.get(`/v1/pets/${id}`);
        expectError(answer, 'gone', message);
        expectAnnounced(answer);
        expectError(await service.call('GET', `/v1/pets/${id}`), 'missing_api_key');
      }
    });

    it('is not the Location of new animals, which are created and listed as before', async () => {
      const answer = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
      expect(answer.status).toBe(201);
      expect(answer.headers).not.toHaveProperty('location');
      expectAnswer(await service.get(`/v1/pets?ids=${pet.id}`), 200, [pet]);
    });
  });
});

describeInside('The settings of getPet', () => {
  it('let a deployment answer as after the sunset', async () => {
    const service = await startService({ sunsetRehearsal: true });
    const answer = await service.get('/v1/pets/1');
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expectError(answer, 'gone');
    expectAnnounced(answer);
    expect(created.status).toBe(201);
    expect(created.headers).not.toHaveProperty('location');
  });

  it('determine dates and addresses in the headers and in the document', async () => {
    const service = await startService({
      getPetDeprecatedOn: new Date('2026-01-01T00:00:00Z'),
      getPetSunsetOn: new Date('2031-02-03T00:00:00Z'),
      publicUrl: 'https://pets.example.org:8443/store/v1',
    });
    const answer = await service.get('/v1/pets/1');
    const list = await service.get('/v1/pets');
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const { json: document } = await service.call('GET', '/openapi.json');
    const [base, docs] = ['https://pets.example.org:8443/store/v1', 'https://pets.example.org:8443/store/docs'];
    expect(answer.headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Mon, 03 Feb 2031 00:00:00 GMT',
      link: `<${base}/pets>; rel="successor-version", <${docs}/guide#the-end-of-getpet>; rel="deprecation"; type="text/html"`,
    });
    expect(list.headers['link']).toBe(`<${base}/pets>; rel="first"`);
    expect(created.headers['location']).toBe(`${base}/pets/1`);
    expect(document).toMatchObject({
      servers: [{ url: base }, {}, {}],
      paths: {
        '/pets/{petId}': {
          get: {
            deprecated: true,
            'x-sunset': '2031-02-03',
            description: expect.stringContaining('3 February 2031'),
          },
        },
      },
    });
  });
});
