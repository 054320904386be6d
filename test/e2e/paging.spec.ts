import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { addPets, type PetBody } from './support/pets.js';
import { type Service, startService } from './support/service.js';

/** Walks a list as a client does: from page to page, by the links it is given. */
async function walk(service: Service, start: string, between: () => Promise<unknown>): Promise<PetBody[]> {
  const seen: PetBody[] = [];
  for (let next: string | undefined = start; next;) {
    const answer = await service.get(next);
    expect(answer.status).toBe(200);
    seen.push(...(answer.json as PetBody[]));
    next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    await between();
  }
  return seen;
}

describeInside('A walk through all pages', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('sees every animal that was there when it began exactly once, whatever is added meanwhile', async () => {
    const before = await addPets(service, ...Array.from({ length: 60 }, (_, i) => ({ name: `Before ${i}` })));
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) await addPets(service, { name: 'Meanwhile' });
    });
    // Between two pages the writers get on: the test waits for them to have added some, not for time to pass.
    const added = async () => {
      const { length } = service.log;
      while (service.log.length < length + 8) await new Promise((resolve) => setImmediate(resolve));
    };
    let pages = 0;
    const seen = await walk(service, '/v1/pets?limit=7', async () => {
      if (++pages < 12) await added();
      else writing = false;
    });
    await Promise.all(writers);

    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))));
    expect(seen.filter(({ name }) => name.startsWith('Before'))).toEqual(before);
    expect(seen.length).toBeGreaterThan(before.length);
  });

  it('keeps to its filter', async () => {
    const sold = await addPets(service, ...Array.from({ length: 9 }, () => ({ status: 'sold' })));
    await addPets(service, { status: 'pending' });
    const seen = await walk(service, '/v1/pets?status=sold&limit=4', () =>
      addPets(service, { status: 'pending' }),
    );
    expect(seen).toEqual(sold);
  });

  it('ends with an empty page when there is nothing after the last id', async () => {
    const [last] = (await addPets(service, {})) as [PetBody];
    const answer = await service.get(`/v1/pets?after=${last.id}`);
    expect({ status: answer.status, body: answer.text }).toEqual({ status: 200, body: '[]' });
    expect(answer.headers['link']).toBe('</v1/pets>; rel="first"');
  });
});
