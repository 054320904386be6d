import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import type { ListPetsQuery } from './dto/list-pets.query.js';
import type { NewPetDto } from './dto/new-pet.dto.js';
import { Pet } from './pet.entity.js';

/** Every statement on animals. */
@Injectable()
export class PetsRepository {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  /** One row more than asked for, when there are more: that is how the end of the list is told. */
  findPage({ limit, status, after }: ListPetsQuery): Promise<Pet[]> {
    return this.pets.find({
      where: {
        ...(status !== undefined && { status }),
        ...(after !== undefined && { id: MoreThan(after) }),
      },
      order: { id: 'ASC' },
      take: limit + 1,
    });
  }

  findById(id: bigint): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  async insert({ name, categoryId, status }: NewPetDto): Promise<Pet> {
    const values = { name, categoryId, status: status ?? null };
    const { identifiers } = await this.pets.insert(values);
    return { ...values, id: identifiers[0]?.['id'] as bigint };
  }
}
