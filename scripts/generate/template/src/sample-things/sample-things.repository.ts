import { Injectable } from '@nestjs/common';
import type { Page } from '../api/paging/page.js';
import { type BatchedRepository, InjectBatched } from '../database/batching/batched-repository.js';
import type { ListSampleThingsQuery } from './dto/list-sample-things.query.js';
import type { NewSampleThingDto } from './dto/new-sample-thing.dto.js';
import { SampleThing } from './sample-thing.entity.js';

/** The database access of sample things. */
@Injectable()
export class SampleThingsRepository {
  constructor(@InjectBatched(SampleThing) private readonly sampleThings: BatchedRepository<SampleThing>) {}
  // if list

  findPage({ limit, after }: ListSampleThingsQuery): Promise<Page<SampleThing>> {
    return this.sampleThings.findPage({ after, limit });
  }
  // end
  // if get

  findById(id: bigint): Promise<SampleThing | null> {
    return this.sampleThings.findOneBy({ id });
  }
  // end

  insert({ $names$ }: NewSampleThingDto): Promise<SampleThing> {
    return this.sampleThings.insert({ $inserted$ });
  }
}
