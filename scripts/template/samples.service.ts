import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Repository } from 'typeorm';
import { notFound } from '../../src/api/errors.js';
import { whereSent, within } from '../../src/api/filters.js';
import { Page } from '../../src/api/pages.js';
import { Database } from '../../src/database/database.js';
import type { ListSamplesQuery, NewSampleDto, SampleChangeDto } from './dto/sample.dto.js';
import { Sample } from './sample.entity.js';

/** The business rules of samples. */
@Injectable()
export class SamplesService {
  constructor(
    @InjectRepository(Sample) private readonly samples: Repository<Sample>,
    private readonly database: Database,
  ) {}

  /** A filter needs an index of its column and the id. */
  async list({ limit, after }: ListSamplesQuery): Promise<Page<Sample>> {
    const where = whereSent<Sample>({ id: within([after, MoreThan]) });
    return Page.of(await this.samples.find({ where, order: { id: 'ASC' }, take: limit + 1 }), limit);
  }

  async get(id: bigint): Promise<Sample> {
    return found(await this.samples.findOneBy({ id }));
  }

  async add({ name, openFrom }: NewSampleDto, manager = this.samples.manager): Promise<Sample> {
    const sample = manager.create(Sample, { name, openFrom: openFrom ?? null });
    await manager.insert(Sample, sample); // assigns the id
    return sample;
  }

  update(id: bigint, change: SampleChangeDto, outer?: EntityManager): Promise<Sample> {
    return this.database.transaction(outer, async (manager) => {
      // Nobody else can change the sample until the transaction ends.
      const lock = { mode: 'pessimistic_write' } as const;
      const sample = found(await manager.findOne(Sample, { where: { id }, lock }));
      return manager.save(manager.merge<Sample>(Sample, sample, change)); // undefined fields stay as they are
    });
  }

  delete(id: bigint, outer?: EntityManager): Promise<void> {
    return this.database.transaction(outer, async (manager) => {
      const { affected } = await manager.delete(Sample, { id });
      if (affected === 0) throw notFound('sample');
    });
  }
}

function found(sample: Sample | null): Sample {
  if (!sample) throw notFound('sample');
  return sample;
}
