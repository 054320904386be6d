import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Page } from '../api/paging/page.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import type { ListSampleThingsQuery } from './dto/list-sample-things.query.js';
import type { NewSampleThingDto } from './dto/new-sample-thing.dto.js';
import { SampleThing } from './sample-thing.entity.js';

/** The database access of sample things. */
@Injectable()
export class SampleThingsRepository {
  constructor(@InjectRepository(SampleThing) private readonly sampleThings: BatchedRepository<SampleThing>) {}

  findPage({ limit, after }: ListSampleThingsQuery): Promise<Page<SampleThing>> {
    return this.sampleThings.readPage({ after, limit });
  }

  findById(id: bigint): Promise<SampleThing | null> {
    return this.sampleThings.readOne({ id });
  }

  insert({ name }: NewSampleThingDto): Promise<SampleThing> {
    return this.sampleThings.add({ name });
  }
}
