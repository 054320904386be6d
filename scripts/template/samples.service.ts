import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { notFound } from '../../src/api/errors.js';
import { Page } from '../../src/api/pages.js';
import { Database } from '../../src/database/database.js';
import type { ListSamplesQuery, NewSampleDto, SampleChangeDto } from './dto/sample.dto.js';
import type { Sample } from './sample.entity.js';
import { SamplesRepository } from './samples.repository.js';

/** The business rules of samples. */
@Injectable()
export class SamplesService {
  constructor(
    private readonly samples: SamplesRepository,
    private readonly database: Database,
  ) {}

  async list(query: ListSamplesQuery): Promise<Page<Sample>> {
    return Page.of(await this.samples.findPage(query), query.limit);
  }

  async get(id: bigint): Promise<Sample> {
    return found(await this.samples.findById(id));
  }

  add(newSample: NewSampleDto, outer?: EntityManager): Promise<Sample> {
    return this.samples.insert(newSample, outer);
  }

  update(id: bigint, change: SampleChangeDto, outer?: EntityManager): Promise<Sample> {
    return this.database.transaction(outer, async (manager) => {
      const sample = found(await this.samples.lock(id, manager));
      return this.samples.update(sample, change, manager);
    });
  }

  delete(id: bigint, outer?: EntityManager): Promise<void> {
    return this.database.transaction(outer, async (manager) => {
      if (!(await this.samples.delete(id, manager))) throw notFound('sample');
    });
  }
}

function found(sample: Sample | null): Sample {
  if (!sample) throw notFound('sample');
  return sample;
}
