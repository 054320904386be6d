import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { codesOf, operationsOf } from '../../src/api/document/operations.js';
import { DeclaredErrors } from '../../src/api/errors/declared-errors.js';
import { ANY_FOREIGN_KEY, type DeclaredError } from '../../src/api/errors/declare-error.js';
import { inUse } from '../../src/api/responses/deleted.decorator.js';
import { readThrownCodes } from '../support/thrown-codes.js';
import { addTo } from './support/additions.js';
import { call } from './support/client.js';
import {
  ClubsModule,
  colourTaken,
  mottoTaken,
  nameForbidden,
  nameTaken,
  noSuchParent,
} from './support/clubs.js';
import { describeInside } from './support/deployment.js';
import { isCluster } from './support/database.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

describeInside('Declared errors', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, [ClubsModule]);
    const first = { name: 'First', colour: 'red', motto: 'first', town: 'MARKER' };
    await addTo(service, '/v1/clubs', [first]);
  });
  afterAll(() => service.stop());

  const VIOLATIONS: [kind: string, body: object, error: DeclaredError, message: string][] = [
    ['a unique index', { name: 'First' }, nameTaken, nameTaken.when],
    ['a check', { name: 'Forbidden' }, nameForbidden, nameForbidden.when],
    ['an exclusion', { name: 'x', colour: 'red' }, colourTaken, colourTaken.when],
    [
      'a constraint that is checked at the commit',
      { name: 'x', motto: 'first' },
      mottoTaken,
      mottoTaken.when,
    ],
    [
      'a foreign key',
      { name: 'x', parentId: 999_999 },
      noSuchParent,
      'The field "parentId" must be the id of a club.',
    ],
  ];

  describe.each(['/v1/clubs', '/v1/clubs/transaction'])('POST %s', (path) => {
    it.each(VIOLATIONS)('answers the violation of %s with its error', async (_, body, error, message) => {
      const before = service.log.length;
      expectError(await service.post(path, body), error, message);
      expect(service.log.slice(before).join('')).not.toContain('unexpected failure');
    });

    it('answers 500 for a constraint of no error, and logs its name and nothing that the client sent', async () => {
      const before = service.log.length;
      expectError(await service.post(path, { name: `y${path}`, town: 'MARKER' }), 'internal_error');
      const log = service.log.slice(before);
      const failure = log.find((line) => line.includes('unexpected failure')) ?? '';
      const facts = ['"23505"', '"clubs_town_once"', ...(isCluster ? [] : ['"clubs"'])];
      for (const fact of facts) expect(failure).toContain(fact);
      expect(log.join('')).not.toContain('MARKER');
    });

    it('stores one of many simultaneous clubs of one name, and all others', async () => {
      const names = Array.from({ length: 40 }, (_, i) => (i % 2 ? `same${path}` : `other ${i}${path}`));
      const answers = await Promise.all(names.map((name) => storedOrRefused(path, name)));
      const same = answers.filter((_, i) => i % 2 === 1);
      expect(same.filter((status) => status === 201)).toHaveLength(1);
      expect(same.filter((status) => status === 409)).toHaveLength(19);
      expect(answers.filter((_, i) => i % 2 === 0)).toEqual(Array.from({ length: 20 }, () => 201));
    });
  });

  /** A busy machine may answer 503, which says that nothing was stored. */
  async function storedOrRefused(path: string, name: string, attempts = 20): Promise<number> {
    const { status } = await service.post(path, { name });
    return status === 503 && attempts > 1 ? storedOrRefused(path, name, attempts - 1) : status;
  }

  it('keep a row that others refer to', async () => {
    await addTo(service, '/v1/clubs', [{ name: 'Parent' }]);
    const [parent] = await service.app
      .get(DataSource)
      .query<{ id: bigint }[]>(`SELECT id FROM clubs WHERE name = 'Parent'`);
    const path = `/v1/clubs/${parent!.id}`;
    await addTo(service, '/v1/clubs', [{ name: 'Child', parentId: parent!.id }]);
    expectError(await service.delete(path), inUse, 'Other resources refer to this one.');
    const documented = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
    expect(documented.paths['/clubs/{clubId}']!.delete!.responses['409']).toMatchObject({
      description: expect.stringContaining('`in_use`: Other resources refer to this one.'),
    });
  });

  it('are documented with their operations, and listed in the Error schema', async () => {
    const document = JSON.parse((await service.call('GET', '/openapi.json')).text) as {
      paths: Record<string, { post: { responses: Record<string, unknown> } }>;
      components: { schemas: { Error: { properties: { code: { description: string } } } } };
    };
    expect(document.paths['/clubs']!.post.responses['409']).toMatchObject({
      description: expect.stringContaining(
        [nameTaken, nameForbidden, colourTaken, mottoTaken]
          .map(({ code, when }) => `\`${code}\`: ${when}`)
          .join('\n\n'),
      ),
    });
    expect(document.paths['/clubs/transaction']!.post.responses).toHaveProperty('404');
    expect(JSON.stringify(document.paths['/pets']!.post.responses)).not.toContain('club_name_taken');
    expect(document.components.schemas.Error.properties.code.description).toContain('`club_name_taken`');
  });

  it('fail the test and are reported in the log when their operation does not document them', async () => {
    await expect(service.get('/v1/clubs/1')).rejects.toThrow(/club_closed.*enterClub|enterClub.*club_closed/);
    const { origin, key } = service;
    const answer = await call(origin, 'GET', '/v1/clubs/1', { headers: { authorization: `Bearer ${key}` } });
    expect(answer).toMatchObject({ status: 409, json: { code: 'club_closed' } });
    expect(service.log.join('')).toContain(
      'enterClub answers club_closed, which it does not document. Add @Refuses with that error to enterClub.',
    );
  });

  it('thrown anywhere below an operation are documented by it', async () => {
    const document = JSON.parse((await service.call('GET', '/openapi.json')).text) as OpenAPIObject;
    const documented = new Map(
      operationsOf(document).map(({ operation }) => [operation.operationId, codesOf(operation)]),
    );
    const thrown = readThrownCodes(['test/e2e/support/clubs.ts']);
    expect(thrown).toContainEqual({
      operationId: 'getPet',
      code: 'not_found',
      at: expect.stringContaining('src/pets/pets.service.ts:'),
    });
    const faults = thrown
      .filter(({ operationId, code }) => documented.get(operationId)?.has(code) === false)
      .map(
        ({ operationId, code, at }) =>
          `${operationId} throws ${code} at ${at}: add @Refuses to ${operationId}.`,
      );
    // The sample lacks it.
    expect(faults).toEqual([
      expect.stringMatching(
        /^enterClub throws club_closed at test\/e2e\/support\/clubs\.ts:\d+: add @Refuses/,
      ),
    ]);
  }, 120_000);

  it('name constraints that exist', async () => {
    const rows = await service.app
      .get(DataSource)
      .query<{ name: string }[]>(
        `SELECT conname AS name FROM pg_constraint UNION SELECT relname FROM pg_class WHERE relkind = 'i'`,
      );
    const existing = new Set(rows.map(({ name }) => name));
    const missing = service.app
      .get(DeclaredErrors)
      .constraints()
      .filter(({ constraint }) => constraint !== ANY_FOREIGN_KEY && !existing.has(constraint));
    expect(missing).toEqual([]);
  });
});
