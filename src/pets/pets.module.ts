import { Module } from '@nestjs/common';
import { provideSettings } from '../common/config/feature-settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { GetPetDeprecation } from './get-pet.deprecation.js';
import { CreatePets1763683200000 } from './migrations/1763683200000-create-pets.js';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';
import { PetsSettings } from './pets.settings.js';

/** The catalogue of animals, from the routes to the table. Only what is particular to animals belongs here. */
@Module({
  imports: [DatabaseModule.forFeature([Pet], [CreatePets1763683200000])],
  controllers: [PetsController],
  providers: [PetsService, PetsRepository, GetPetDeprecation, provideSettings(PetsSettings)],
  exports: [PetsService],
})
export class PetsModule {}
