import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Created, Fetched, Paged, Resource } from '../api/decorators.js';
import { Deprecated } from '../api/deprecation.js';
import { RunOnce } from '../api/idempotency/repeatable.js';
import type { Page } from '../api/pages.js';
import { ListPetsQuery, NewPetDto, PetDto, PetPath } from './dto/pet.dto.js';
import { NEW_PET_EXAMPLES, PET_EXAMPLES, PETS_EXAMPLES } from './dto/pet.examples.js';
import { PetsService } from './pets.service.js';

@Resource('pets', 'The catalogue of animals')
@Controller('pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @ApiOperation({ summary: 'List all animals', description: 'In ascending order of id, a page at a time.' })
  @Paged({ name: 'Pets', type: PetDto, description: 'A page of animals.', examples: PETS_EXAMPLES })
  async listPets(@Query() query: ListPetsQuery): Promise<Page<PetDto>> {
    return (await this.pets.list(query)).map((pet) => PetDto.from(pet));
  }

  @Post()
  @ApiOperation({ summary: 'Add an animal', description: 'Adds an animal and assigns its id.' })
  @ApiBody({ type: NewPetDto, examples: NEW_PET_EXAMPLES })
  @Created({ type: PetDto, description: 'The animal that was added.', examples: PET_EXAMPLES })
  createPet(@Body() newPet: NewPetDto, @RunOnce() runOnce: RunOnce): Promise<PetDto> {
    return runOnce(async (manager) => PetDto.from(await this.pets.add(newPet, manager)));
  }

  @Get(':petId')
  @ApiOperation({ summary: 'Get an animal' })
  @Fetched({ type: PetDto, description: 'The animal.', examples: PET_EXAMPLES })
  @Deprecated(({ getPetDeprecatedOn, getPetSunsetOn }) => ({
    deprecatedOn: getPetDeprecatedOn,
    sunsetOn: getPetSunsetOn,
    successor: '/pets',
    advice: 'Use `GET /pets` with the `status` filter instead, or with `ids` to look up animals by id.',
  }))
  async getPet(@Param() { petId }: PetPath): Promise<PetDto> {
    return PetDto.from(await this.pets.get(petId));
  }
}
