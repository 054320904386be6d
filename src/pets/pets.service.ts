import { Injectable } from '@nestjs/common';
import { notFound } from '../api/errors/api-error.js';
import type { Page } from '../api/paging/page.js';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { NewPetDto } from './dto/new-pet.dto.js';
import type { Transaction } from '../database/transactions/transactions.js';
import type { Pet } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';
import { PetsRepository } from './pets.repository.js';

/** The business rules of the catalogue. */
@Injectable()
export class PetsService {
  constructor(private readonly pets: PetsRepository) {}

  list(query: ListPetsQuery): Promise<Page<Pet>> {
    return this.pets.findPage(query);
  }

  add(newPet: NewPetDto): Promise<Pet> {
    return this.pets.insert(newPet);
  }

  async get(id: bigint): Promise<Pet> {
    const pet = await this.pets.findById(id);
    if (!pet) throw notFound('animal');
    return pet;
  }

  /** Makes an available animal pending, and tells whether it was one. */
  reserve(id: bigint, transaction: Transaction): Promise<boolean> {
    return this.pets.reserve(id, transaction);
  }

  setStatus(id: bigint, status: PetStatus, transaction: Transaction): Promise<void> {
    return this.pets.setStatus(id, status, transaction);
  }
}
