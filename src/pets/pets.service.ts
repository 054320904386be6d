import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { notFound } from '../api/errors.js';
import { Page } from '../api/pages.js';
import type { ListPetsQuery, NewPetDto } from './dto/pet.dto.js';
import type { Pet, PetStatus } from './pet.entity.js';
import { PetsRepository } from './pets.repository.js';

@Injectable()
export class PetsService {
  constructor(private readonly pets: PetsRepository) {}

  async list(query: ListPetsQuery): Promise<Page<Pet>> {
    return Page.of(await this.pets.findPage(query), query.limit);
  }

  add(newPet: NewPetDto, manager?: EntityManager): Promise<Pet> {
    return this.pets.insert(newPet, manager);
  }

  async get(id: bigint): Promise<Pet> {
    const pet = await this.pets.findById(id);
    if (!pet) throw notFound('animal');
    return pet;
  }

  /** Makes an available animal pending, and tells whether it was one. */
  reserve(id: bigint, manager: EntityManager): Promise<boolean> {
    return this.pets.reserve(id, manager);
  }

  setStatus(id: bigint, status: PetStatus, manager: EntityManager): Promise<void> {
    return this.pets.setStatus(id, status, manager);
  }
}
