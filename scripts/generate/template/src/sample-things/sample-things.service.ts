import { Injectable } from '@nestjs/common';
import { notFound } from '../api/errors/api-error.js';
import type { Page } from '../api/paging/page.js';
import type { ListSampleThingsQuery } from './dto/list-sample-things.query.js';
import type { NewSampleThingDto } from './dto/new-sample-thing.dto.js';
import type { SampleThingChangeDto } from './dto/sample-thing-change.dto.js';
import type { SampleThing } from './sample-thing.entity.js';
import { SampleThingsRepository } from './sample-things.repository.js';

/** The business rules of sample things. */
@Injectable()
export class SampleThingsService {
  constructor(private readonly sampleThings: SampleThingsRepository) {}
  // if list

  list(query: ListSampleThingsQuery): Promise<Page<SampleThing>> {
    return this.sampleThings.findPage(query);
  }
  // end

  add(newSampleThing: NewSampleThingDto): Promise<SampleThing> {
    return this.sampleThings.insert(newSampleThing);
  }
  // if get|update

  async get(id: bigint): Promise<SampleThing> {
    const sampleThing = await this.sampleThings.findById(id);
    if (!sampleThing) throw notFound('sample thing');
    return sampleThing;
  }
  // end
  // if update

  async update(id: bigint, change: SampleThingChangeDto): Promise<SampleThing> {
    const sampleThing = await this.sampleThings.update(id, change);
    if (!sampleThing) throw notFound('sample thing');
    return sampleThing;
  }
  // end
  // if delete

  async delete(id: bigint): Promise<void> {
    if (!(await this.sampleThings.delete(id))) throw notFound('sample thing');
  }
  // end
}
