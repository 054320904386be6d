import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { CreatePets1763683200000 } from './migrations/1763683200000-create-pets.js';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

@Module({
  imports: [DatabaseModule.forFeature([Pet], [CreatePets1763683200000])],
  controllers: [PetsController],
  providers: [PetsService],
  exports: [PetsService],
})
export class PetsModule {}
