import { Module } from '@nestjs/common';
import { distribution } from '../database/citus.js';
import { DatabaseModule } from '../database/database.module.js';
import { CreatePets1763683200000 } from './migrations/1763683200000-create-pets.js';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

/** A page asks every shard, and as many workers as there are shards can share them. */
const distributePets = distribution('DistributePets1796000000001', [
  `SELECT create_distributed_table('pets', 'id', shard_count := 8)`,
]);

/** The catalogue of animals, from the routes to the table. */
@Module({
  imports: [DatabaseModule.forFeature([Pet], [CreatePets1763683200000, distributePets])],
  controllers: [PetsController],
  providers: [PetsService, PetsRepository],
  exports: [PetsService],
})
export class PetsModule {}
