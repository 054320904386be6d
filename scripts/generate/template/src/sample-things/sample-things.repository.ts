import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Page } from '../api/paging/page.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import type { ListSampleThingsQuery } from './dto/list-sample-things.query.js';
import type { NewSampleThingDto } from './dto/new-sample-thing.dto.js';
import type { SampleThingChangeDto } from './dto/sample-thing-change.dto.js';
import { SampleThing } from './sample-thing.entity.js';

/** The database access of sample things. */
@Injectable()
export class SampleThingsRepository {
  constructor(@InjectRepository(SampleThing) private readonly sampleThings: BatchedRepository<SampleThing>) {}
  // if list

  findPage({ limit, after }: ListSampleThingsQuery): Promise<Page<SampleThing>> {
    return this.sampleThings.readPage({ after, limit });
  }
  // end
  // if get|update

  findById(id: bigint): Promise<SampleThing | null> {
    return this.sampleThings.readOne({ id });
  }
  // end

  insert({ $names$ }: NewSampleThingDto): Promise<SampleThing> {
    return this.sampleThings.add({ $inserted$ });
  }
  // if update

  update(id: bigint, { $changeable$ }: SampleThingChangeDto): Promise<SampleThing | null> {
    return this.sampleThings.change({ id }, { $changeable$ });
  }
  // end
  // if delete

  async delete(id: bigint): Promise<boolean> {
    return (await this.sampleThings.discard({ id })) !== null;
  }
  // end
}
