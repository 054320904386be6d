import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { Pet } from './pet.entity.js';
import { ListPetsQuery, NewPet } from './pets.dto.js';

@Injectable()
export class PetsService {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  find({ limit, after, status }: ListPetsQuery): Promise<Pet[]> {
    return this.pets.find({
      where: { ...(status && { status }), ...(after !== undefined && { id: MoreThan(after) }) },
      order: { id: 'ASC' },
      take: limit + 1,
    });
  }

  findOne(id: number): Promise<Pet | null> {
    return this.pets.findOneBy({ id });
  }

  create({ name, categoryId, status }: NewPet): Promise<Pet> {
    return this.pets.save(this.pets.create({ name, categoryId, status: status ?? null }));
  }
}
