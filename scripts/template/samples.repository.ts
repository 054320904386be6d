import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Repository } from 'typeorm';
import { whereSent, within } from '../../src/api/filters.js';
import type { ListSamplesQuery, NewSampleDto, SampleChangeDto } from './dto/sample.dto.js';
import { Sample } from './sample.entity.js';

/** The database access of samples. */
@Injectable()
export class SamplesRepository {
  constructor(@InjectRepository(Sample) private readonly samples: Repository<Sample>) {}

  /** One more than a page, if there are more. A filter needs an index that begins with its column. */
  findPage({ limit, after }: ListSamplesQuery): Promise<Sample[]> {
    const where = whereSent<Sample>({ id: within([after, MoreThan]) });
    return this.samples.find({ where, order: { id: 'ASC' }, take: limit + 1 });
  }

  findById(id: bigint): Promise<Sample | null> {
    return this.samples.findOneBy({ id });
  }

  async insert({ name, openFrom }: NewSampleDto, manager = this.samples.manager): Promise<Sample> {
    const sample = manager.create(Sample, { name, openFrom: openFrom ?? null });
    await manager.insert(Sample, sample); // assigns the id
    return sample;
  }

  /** The sample, which nobody else can change until the transaction ends. */
  lock(id: bigint, manager: EntityManager): Promise<Sample | null> {
    return manager.findOne(Sample, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Undefined fields stay as they are. */
  update(sample: Sample, change: SampleChangeDto, manager: EntityManager): Promise<Sample> {
    return manager.save(manager.merge<Sample>(Sample, sample, change));
  }

  /** Tells whether there was one. */
  async delete(id: bigint, manager: EntityManager): Promise<boolean> {
    return (await manager.delete(Sample, { id })).affected === 1;
  }
}
