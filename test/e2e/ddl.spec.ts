import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { addOrder, addPet } from './support/resources.js';
import { type Service, startService } from './support/service.js';

/** What an operator may do while the service runs, each with its reversal. */
const CHANGES: [change: string, undo?: string][] = [
  ['ALTER TABLE pets ALTER name TYPE varchar(300)', 'ALTER TABLE pets ALTER name TYPE text'],
  ['ALTER TABLE pets ALTER category_id TYPE numeric', 'ALTER TABLE pets ALTER category_id TYPE bigint'],
  ["ALTER TABLE pets ADD extra text DEFAULT 'x' NOT NULL", 'ALTER TABLE pets DROP extra'],
  ["ALTER TABLE pets ALTER status SET DEFAULT 'sold'", 'ALTER TABLE pets ALTER status DROP DEFAULT'],
  ['ALTER TABLE pets ADD CONSTRAINT more CHECK (id > 0)', 'ALTER TABLE pets DROP CONSTRAINT more'],
  ['CREATE INDEX CONCURRENTLY more ON pets (name)', 'DROP INDEX more'],
  ['DROP INDEX pets_status_id', 'CREATE INDEX pets_status_id ON pets (status, id)'],
  ['VACUUM FULL pets'],
  ['REINDEX TABLE CONCURRENTLY pets'],
  ['ALTER TABLE api_keys ADD extra integer DEFAULT 1', 'ALTER TABLE api_keys DROP extra'],
  ['ALTER TABLE orders ALTER quantity TYPE bigint', 'ALTER TABLE orders ALTER quantity TYPE integer'],
  ["ALTER TABLE orders ADD extra text DEFAULT 'x' NOT NULL", 'ALTER TABLE orders DROP extra'],
  [
    'ALTER TABLE idempotency_records ADD extra integer DEFAULT 1',
    'ALTER TABLE idempotency_records DROP extra',
  ],
  ['TRUNCATE pets CASCADE'],
];

describeInside('DDL while the service runs', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    await useEverything();
  });
  afterAll(() => service.stop());

  /** On each connection, so that a statement that was prepared before is met. */
  async function useEverything(): Promise<void> {
    const once = async (_: unknown, i: number): Promise<void> => {
      const { id } = await addPet(service);
      const { id: orderId } = await addOrder(service);
      const headers = { 'idempotency-key': `${Date.now()}-${i}` };
      const answers = [
        await service.get(`/v1/pets/${id}`),
        await service.get(`/v1/pets?ids=${id}&status=sold`),
        await service.get('/v1/store/orders?complete=true'),
        await service.post('/v1/pets', { name: 'Rex', categoryId: 1 }, { headers }),
        await service.patch(`/v1/store/orders/${orderId}`, { complete: true }),
        await service.get(`/v1/store/orders/${orderId}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201, 200, 200]);
    };
    await Promise.all(Array.from({ length: 4 }, once));
  }

  it.each(CHANGES)('is not noticed by clients: %s', async (change, undo) => {
    await service.database.query(change);
    await useEverything();
    if (undo) await service.database.query(undo);
    await useEverything();
  });

  it('that takes a table away is a 503, until it is back', async () => {
    await service.database.query('ALTER TABLE pets RENAME TO animals');
    for (const answer of [
      await service.get('/v1/pets'),
      await service.post('/v1/pets', { name: 'Rex', categoryId: 1 }),
    ])
      expect([500, 503]).toContain(answer.status);
    expect((await service.call('GET', '/health/ready')).status).toBe(503);
    await service.database.query('ALTER TABLE animals RENAME TO pets');
    await useEverything();
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
  });
});
