import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Equal, IsNull, Or, Repository } from 'typeorm';
import { Statements } from '../database/statements.js';
import type { ListPetsQuery, NewPetDto } from './dto/pet.dto.js';
import { Pet, type PetStatus } from './pet.entity.js';

/** The database access of the catalogue. */
@Injectable()
export class PetsRepository {
  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly statements: Statements,
  ) {}

  /** One more than a page, if there are more. */
  findPage({ limit, after, status, ids }: ListPetsQuery): Promise<Pet[]> {
    return this.statements.findPage(this.pets, { status, id: ids }, { after, limit: limit + 1 });
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.statements.findById(this.pets, id);
  }

  insert({ name, categoryId, status }: NewPetDto, manager?: EntityManager): Promise<Pet> {
    return this.statements.insert(this.pets, { name, categoryId, status: status ?? null }, manager);
  }

  /** An animal without a status is available. Tells whether the animal was. */
  async reserve(id: bigint, manager: EntityManager): Promise<boolean> {
    const available = { id, status: Or(Equal('available'), IsNull()) };
    const { affected } = await manager.update(Pet, available, { status: 'pending' });
    return affected === 1;
  }

  async setStatus(id: bigint, status: PetStatus, manager: EntityManager): Promise<void> {
    await manager.update(Pet, { id }, { status });
  }
}
