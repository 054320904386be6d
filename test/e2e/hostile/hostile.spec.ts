import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KeysService } from '../../../src/auth/keys.service.js';
import { generateKey } from '../../../src/auth/key-format.js';
import { describeInside } from '../support/deployment.js';
import { addPets } from '../support/resources.js';
import { type Service, startService } from '../support/service.js';
import { type Case, type Keys, readCases } from './cases.js';
import { exchange } from './exchange.js';
import { expectRules, expectSent, summaryOf } from './expect-answer.js';

const FAMILIES = readdirSync(join(import.meta.dirname, 'cases')).map((file) => file.replace('.txt', ''));
const WARNING = 40;

/** Raw requests and the exact answer that each must get. */
describeInside('Hostile input', () => {
  let service: Service;
  let keys: Keys;
  beforeAll(async () => {
    service = await startService({ rateLimitPerKey: 0, rateLimitFailures: 0 });
    keys = await issueKeys(service);
    await addPets(service, 3);
    for (const petId of [1, 2]) await service.post('/v1/store/orders', { petId });
    await service.patch('/v1/store/orders/2', { complete: true });
    service.log.length = 0;
  });
  afterAll(() => service.stop());

  // First, because later log lines come from other refused connections, too.
  it('does not include a connection that its client resets', async () => {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    await once(socket.resetAndDestroy(), 'close');
    await service.get('/v1/pets'); // meanwhile, the service has noticed the end of the other connection
    expect(service.log.join('')).not.toContain('malformed request');
  });

  it.each(FAMILIES)('gets the expected answers: %s', async (family) => {
    const failures: string[] = [];
    for (const each of readCases(family, keys)) {
      await check(each).catch((error: Error) => failures.push(report(each, error)));
    }
    expect(failures.join('\n\n')).toBe('');
  });

  it('leaves no warnings, errors or keys in the log', () => {
    const lines = service.log.map((line) => JSON.parse(line) as { level: number });
    expect(lines.length).toBeGreaterThan(250);
    expect(lines.filter(({ level }) => level >= WARNING)).toEqual([]);
    const malformed = { requestId: expect.any(String), status: 400, code: 'bad_request', msg: 'malformed request' };
    expect(lines).toContainEqual(expect.objectContaining(malformed));
    for (const key of Object.values(keys)) expect(service.log.join('')).not.toContain(key);
  });

  async function check(each: Case): Promise<void> {
    const probe = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.key}\r\nX-Request-Id: the-probe\r\nConnection: close\r\n\r\n`;
    const { answers, rest, probed } = await exchange(service.origin, each, probe);
    const summaries = answers.map((answer, i) => summaryOf(answer, each.expected[i]));
    const expected = [...each.expected, ...(probed ? ['200'] : [])];
    expect({ answers: summaries, rest }).toEqual({ answers: expected, rest: '' });
    for (const [i, answer] of answers.entries()) expectRules(i === 0 ? each.request : '', answer, keys.key);
    if (probed) expect(answers.at(-1)?.headers['x-request-id']).toBe('the-probe');
    if (answers[0]?.status === 201) expectSent(each.request, answers[0].body);
  }

  function report({ expected, request, why }: Case, error: Error): string {
    let sent = JSON.stringify(request.slice(0, 400)).replaceAll('\\r\\n', ' ⏎ ');
    for (const [name, key] of Object.entries(keys)) sent = sent.replaceAll(key, `{${name}}`);
    return `✗ ${expected.join(', ')}, because: ${why}\n  ${sent}\n  ${error.message.replaceAll('\n', '\n  ')}`;
  }
});

async function issueKeys({ app, key }: Service): Promise<Keys> {
  const service = app.get(KeysService);
  const { id, key: revoked } = await service.issue({ name: 'revoked' });
  await service.revoke(id);
  return { key, revoked, other: generateKey('live'), unknown: generateKey('test') };
}
