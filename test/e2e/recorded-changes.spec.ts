import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type QueryRunner } from 'typeorm';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { declareError } from '../../src/api/errors/declare-error.js';
import { Refuses } from '../../src/api/errors/refuses.decorator.js';
import { Created } from '../../src/api/responses/created.decorator.js';
import { Field } from '../../src/api/validation/field.decorator.js';
import { int64, text } from '../../src/api/validation/rule.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { Transactions } from '../../src/database/transactions/transactions.js';
import { Kept } from '../../src/database/kept.js';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { untilDecided } from './support/insist.js';
import { type Service, startService } from './support/service.js';

const markRefused = declareError('mark_refused', { status: 409, when: 'Refused.', advice: 'None.' });
const markTaken = declareError('mark_taken', {
  status: 409,
  when: 'Taken.',
  advice: 'None.',
  onConstraint: 'marks_label_once',
});

@Kept('everywhere')
@Entity('marks')
class Mark {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('text')
  readonly label!: string;
}

class CreateMarks1000000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE marks (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        label text NOT NULL CONSTRAINT marks_label_once UNIQUE DEFERRABLE INITIALLY DEFERRED
      )`);
  }

  async down(): Promise<void> {}
}

const line = text({ minLength: 1, maxLength: 255 });

@ApiSchema({ name: 'NewMark' })
class NewMarkDto {
  @Field(line, {})
  readonly way!: string;

  @Field(line, {})
  readonly label!: string;
}

@ApiSchema({ name: 'Mark' })
class MarkDto {
  @Field(int64(), {})
  readonly id!: bigint;

  @Field(line, {})
  readonly label!: string;
}

/** What handlers may do. */
@Injectable()
class Marks {
  runs = 0;

  constructor(
    @InjectRepository(Mark) private readonly marks: BatchedRepository<Mark>,
    private readonly transactions: Transactions,
    private readonly dataSource: DataSource,
  ) {}

  readonly ways: Record<string, (label: string) => Promise<Mark | null>> = {
    plain: (label) => this.marks.add({ label }),
    transaction: (label) => this.transactions.run((one) => one.withRepository(this.marks).add({ label })),
    'read, then add': async (label) => {
      await this.marks.findBy({ label });
      await this.marks.readPage({ limit: 1 });
      return this.marks.add({ label });
    },
    'refuse after the change': async (label) => {
      await this.marks.add({ label });
      throw markRefused();
    },
    'refuse after the transaction': async (label) => {
      await this.transactions.run((one) => one.withRepository(this.marks).add({ label }));
      throw markRefused();
    },
    'late answer': async (label) => {
      const mark = await this.marks.add({ label });
      await delay(60);
      return mark;
    },
    'change and discard': async (label) => {
      const [seed] = await this.dataSource.manager.find(Mark, { where: { label: 'seed' } });
      if (label.startsWith('change')) return this.marks.change({ id: seed!.id }, { label });
      return this.marks.discard({ id: seed!.id });
    },
    'change, discard and read no row': async (label) => {
      const [seed] = await this.dataSource.manager.find(Mark, { where: { label: 'seed' } });
      const where = { id: seed!.id, label: 'other' };
      if (await this.marks.change(where, { label })) throw new Error('A row was changed.');
      if (await this.marks.discard(where)) throw new Error('A row was discarded.');
      if (label === 'refused') throw markRefused();
      return this.marks.readOne({ id: seed!.id });
    },
    'change no row, then add': async (label) =>
      (await this.marks.change({ id: 0n }, { label })) ?? this.marks.add({ label }),
    'add after a failure': async (label) => {
      const twice = this.transactions.run(async (one) => {
        await one.withRepository(this.marks).add({ label: 'seed' });
        throw new Error('no');
      });
      await twice.catch(() => {});
      return this.marks.add({ label });
    },
    'two changes': async (label) => {
      await this.marks.add({ label });
      return this.marks.add({ label: `${label} 2` });
    },
    'two transactions': async (label) => {
      const add = () => this.transactions.run((one) => one.withRepository(this.marks).add({ label }));
      await add();
      return add();
    },
    'read after the change': async (label) => {
      const { id } = await this.marks.add({ label });
      return this.marks.readOne({ id });
    },
    "TypeORM's read after the change": async (label) => {
      const { id } = await this.marks.add({ label });
      return this.marks.findOneBy({ id });
    },
    "TypeORM's save": (label) => this.marks.save({ label }),
    "TypeORM's transaction": (label) => this.dataSource.transaction((one) => one.save(Mark, { label })),
    SQL: (label) => this.dataSource.query('INSERT INTO marks (label) VALUES ($1)', [label]),
  };
}

@Resource('test-marks', 'Marks of this test')
@Controller('test-marks')
class MarksController {
  constructor(private readonly marks: Marks) {}

  @Post()
  @ApiOperation({ summary: 'Add a mark' })
  @ApiBody({ type: NewMarkDto })
  @Created({ type: MarkDto, description: 'The mark.', examples: {} })
  @Refuses(markRefused, markTaken)
  async createMark(@Body() { way, label }: NewMarkDto): Promise<MarkDto> {
    this.marks.runs++;
    return (await this.marks.ways[way]!(label))!;
  }
}

@Module({
  imports: [DatabaseModule.forFeature([Mark], [CreateMarks1000000000000])],
  controllers: [MarksController],
  providers: [Marks],
})
class MarksModule {}

describeInside('A handler under an Idempotency-Key', () => {
  let service: Service;
  let marks: Marks;
  beforeAll(async () => {
    service = await startService({}, undefined, [MarksModule]);
    marks = service.app.get(Marks);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.app.get(DataSource).query("TRUNCATE marks; INSERT INTO marks (label) VALUES ('seed')");
    marks.runs = 0;
  });

  const labels = async (): Promise<string[]> =>
    (await service.app.get(DataSource).query('SELECT label FROM marks ORDER BY id')).map(
      ({ label }: Mark) => label,
    );
  const send = (way: string, label: string, key: string = randomUUID()): Promise<Answer> =>
    untilDecided(() =>
      service.post('/v1/test-marks', { way, label }, { headers: { 'idempotency-key': key } }),
    );

  it.each([
    'plain',
    'transaction',
    'read, then add',
    'late answer',
    'add after a failure',
    'change no row, then add',
    'change and discard',
  ])('may change once: %s', async (way) => {
    const key = randomUUID();
    const first = await send(way, 'changed', key);
    const again = await send(way, 'changed', key);
    expect(first.status).toBe(201);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect(await labels()).toEqual(way === 'change and discard' ? ['changed'] : ['seed', 'changed']);
  });

  it('may discard a row', async () => {
    expect((await send('change and discard', 'away')).status).toBe(201);
    expect(await labels()).toEqual([]);
  });

  it('may read why no row was changed, and refuse, or answer without a change', async () => {
    const way = 'change, discard and read no row';
    const key = randomUUID();
    expectError(await send(way, 'refused', key), markRefused);
    const first = await send(way, 'same', key);
    const again = await send(way, 'same', key);
    expect([first.status, (first.json as Mark).label]).toEqual([201, 'seed']);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect(await labels()).toEqual(['seed']);
  });

  it.each(['refuse after the change', 'refuse after the transaction'])(
    'stores nothing when it fails: %s',
    async (way) => {
      const key = randomUUID();
      expectError(await send(way, 'refused', key), markRefused);
      expect(await labels()).toEqual(['seed']);
      expect((await send('plain', 'corrected', key)).status).toBe(201);
    },
  );

  it.each(['plain', 'transaction'])('is refused by a constraint at the commit: %s', async (way) => {
    const answer = await send(way, 'seed');
    expectError(answer, markTaken);
    expect(await labels()).toEqual(['seed']);
  });

  it.each([
    'two changes',
    'two transactions',
    'read after the change',
    "TypeORM's read after the change",
    "TypeORM's save",
    "TypeORM's transaction",
    'SQL',
  ])('is told what to do instead: %s', async (way) => {
    service.log.length = 0;
    expectError(await send(way, 'lost'), 'internal_error');
    expect(service.log.join('')).toMatch(
      /outside of the open transaction.*withRepository|make it in `Transactions\.run`, or by `add`/,
    );
    expect(await labels()).toEqual(['seed']);
  });

  it('runs again, alone, when a neighbour of its batch fails or is late, and is stored once', async () => {
    const ways = Array.from(
      { length: 12 },
      (_, i) => ({ 3: 'refuse after the change', 5: 'late answer' })[i] ?? 'plain',
    );
    const answers = await Promise.all(ways.map((way, i) => send(way, `${way} ${i}`)));
    for (const [i, { status }] of answers.entries()) expect([i, status]).toEqual([i, i === 3 ? 409 : 201]);
    expect(marks.runs).toBeGreaterThan(ways.length);
    expect((await labels()).toSorted()).toEqual(
      ['seed', ...ways.flatMap((way, i) => (i === 3 ? [] : [`${way} ${i}`]))].toSorted(),
    );
  });
});
