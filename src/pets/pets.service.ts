import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import { type EntityManager, Equal, IsNull, Or, Repository } from 'typeorm';
import { notFound } from '../api/errors.js';
import { Page } from '../api/pages.js';
import { Config } from '../common/config.js';
import { Statements } from '../database/statements.js';
import type { ListPetsQuery, NewPetDto } from './dto/pet.dto.js';
import { Pet, type PetStatus } from './pet.entity.js';

@Injectable()
export class PetsService {
  /** Animals that are requested in one turn of the event loop share a statement. */
  private readonly loader = new DataLoader<bigint, Pet | null>(
    async (ids) => {
      const pets = await this.statements.find(this.pets, 'WHERE id = ANY($1)', [ids]);
      return ids.map((id) => pets.find((pet) => pet.id === id) ?? null);
    },
    { cache: false, maxBatchSize: 32, batchScheduleFn: setImmediate },
  );

  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly statements: Statements,
    private readonly config: Config,
  ) {}

  async list({ limit, after, status, ids }: ListPetsQuery): Promise<Page<Pet>> {
    const values: unknown[] = [];
    const conditions: string[] = [];
    if (status !== undefined) conditions.push(`status = $${values.push(status)}`);
    if (ids !== undefined) conditions.push(`id = ANY($${values.push(ids)})`);
    if (after !== undefined) conditions.push(`id > $${values.push(after)}`);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const clauses = `${where} ORDER BY id LIMIT $${values.push(limit + 1)}`;
    return Page.of(await this.statements.find(this.pets, clauses, values), limit);
  }

  add({ name, categoryId, status }: NewPetDto, manager?: EntityManager): Promise<Pet> {
    return this.statements.insert(this.pets, { name, categoryId, status: status ?? null }, manager);
  }

  async get(id: bigint): Promise<Pet> {
    // On Citus, a shared statement would fail for all of its animals if the worker of one of them is down.
    const pet = this.config.databaseDistribution
      ? (await this.statements.find(this.pets, 'WHERE id = $1', [id]))[0]
      : await this.loader.load(id);
    if (!pet) throw notFound('animal');
    return pet;
  }

  /** Makes an available animal pending, and tells whether it was one. An animal without a status is available. */
  async reserve(id: bigint, manager: EntityManager): Promise<boolean> {
    const available = { id, status: Or(Equal('available'), IsNull()) };
    const { affected } = await manager.update(Pet, available, { status: 'pending' });
    return affected === 1;
  }

  async setStatus(id: bigint, status: PetStatus, manager: EntityManager): Promise<void> {
    await manager.update(Pet, { id }, { status });
  }
}
