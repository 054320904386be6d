import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnOneServer } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

describeOnOneServer('The embedded database', () => {
  let folder: string;
  let service: Service;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedded-spec-'));
    service = await startService({ databaseUrl: undefined, databaseDirectory: folder });
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const list = () => service.get('/v1/pets');

  it('that is killed is away for a moment, and loses nothing', async () => {
    const created = await service.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    expect(created.status).toBe(201);
    const [pid = ''] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    let answer = await list();
    while (answer.status !== 200) {
      expectError(answer, 'service_unavailable');
      answer = await list();
      await service.call('GET', '/health/ready'); // notices, and starts it again
    }
    expect(answer.text).toBe(`[${created.text}]`);
  });
});
