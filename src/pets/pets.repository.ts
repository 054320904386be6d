import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Page } from '../api/paging/page.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { NewPetDto } from './dto/new-pet.dto.js';
import { Pet } from './pet.entity.js';

/** The database access of the catalogue. */
@Injectable()
export class PetsRepository {
  constructor(@InjectRepository(Pet) private readonly pets: BatchedRepository<Pet>) {}

  findPage({ limit, status, after }: ListPetsQuery): Promise<Page<Pet>> {
    return this.pets.readPage({ filters: { status }, after, limit });
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.pets.readOne({ id });
  }

  insert({ name, categoryId, status }: NewPetDto): Promise<Pet> {
    return this.pets.add({ name, categoryId, status: status ?? null });
  }
}
