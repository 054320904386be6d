import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Equal, IsNull, Or } from 'typeorm';
import type { Page } from '../api/paging/page.js';
import type { BatchedRepository } from '../database/batching/batched-repository.js';
import type { Transaction } from '../database/transactions/transactions.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { NewPetDto } from './dto/new-pet.dto.js';
import { Pet } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';

/** The database access of the catalogue. */
@Injectable()
export class PetsRepository {
  constructor(@InjectRepository(Pet) private readonly pets: BatchedRepository<Pet>) {}

  findPage({ limit, status, ids, after }: ListPetsQuery): Promise<Page<Pet>> {
    return this.pets.readPage({ filters: { status, id: ids }, after, limit });
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.pets.readOne({ id });
  }

  insert({ name, categoryId, status }: NewPetDto): Promise<Pet> {
    return this.pets.add({ name, categoryId, status: status ?? null });
  }

  /** An animal without a status is available. Returns whether the animal was. */
  async reserve(id: bigint, transaction: Transaction): Promise<boolean> {
    const available = { id, status: Or<PetStatus | null>(Equal('available'), IsNull()) };
    const pets = transaction.withRepository(this.pets);
    return (await pets.change(available, { status: 'pending' })) !== null;
  }

  async setStatus(id: bigint, status: PetStatus, transaction: Transaction): Promise<void> {
    await transaction.withRepository(this.pets).update({ id }, { status });
  }
}
