import { Injectable } from '@nestjs/common';
import type { Page } from '../api/paging/page.js';
import { type BatchedRepository, InjectBatched } from '../database/batching/batched-repository.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { NewPetDto } from './dto/new-pet.dto.js';
import { Pet } from './pet.entity.js';

/** The database access of the catalogue. */
@Injectable()
export class PetsRepository {
  constructor(@InjectBatched(Pet) private readonly pets: BatchedRepository<Pet>) {}

  findPage({ limit, status, after }: ListPetsQuery): Promise<Page<Pet>> {
    return this.pets.findPage({ where: { status }, after, limit });
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  insert({ name, categoryId, status }: NewPetDto): Promise<Pet> {
    return this.pets.insert({ name, categoryId, status: status ?? null });
  }
}
