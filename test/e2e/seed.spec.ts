import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';

describeInside('npm run seed', () => {
  let service: Service;
  let programs: Programs;
  beforeAll(async () => {
    service = await startService();
    programs = new Programs({ DATABASE_URL: service.database.url });
  });
  afterAll(async () => {
    await programs.stop();
    await service.stop();
  });

  it('adds as many animals as it is told, beside the service', async () => {
    const { code, out, err } = await programs.run('pets/seed.cli.js', ['--count', '2500']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Added 2500 animals/);
    expect(await service.database.query('SELECT count(*)::int AS count FROM pets')).toEqual([{ count: 2500 }]);
    expect((await service.get('/v1/pets?limit=100')).json).toHaveLength(100);
  });

  it('without a count fails and says what to do', async () => {
    const { code, out, err } = await programs.run('pets/seed.cli.js');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('--count 1000');
  });
});
