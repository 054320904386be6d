import {
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { Pet } from './pet.entity.js';
import { ListPetsQuery, NewPet } from './pets.dto.js';
import { PetsService } from './pets.service.js';

interface Response {
  setHeader(name: string, value: string): void;
}

@Controller('v1/pets')
@UseGuards(AuthGuard('bearer'))
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  async list(@Query() query: ListPetsQuery, @Res({ passthrough: true }) response: Response) {
    const rows = await this.pets.find(query);
    const page = rows.slice(0, query.limit);
    if (rows.length > page.length) {
      const status = query.status ? `&status=${query.status}` : '';
      const next = `/v1/pets?limit=${query.limit}${status}&after=${page.at(-1)?.id}`;
      response.setHeader('Link', `<${next}>; rel="next"`);
    }
    return page.map(withoutNull);
  }

  @Post()
  async create(@Body() body: NewPet, @Res({ passthrough: true }) response: Response) {
    const pet = await this.pets.create(body);
    response.setHeader('Location', `/v1/pets/${pet.id}`);
    return withoutNull(pet);
  }

  @Get(':petId')
  async get(@Param('petId', ParseIntPipe) id: number) {
    const pet = await this.pets.findOne(id);
    if (!pet) throw new NotFoundException();
    return withoutNull(pet);
  }
}

function withoutNull({ status, ...pet }: Pet): object {
  return status === null ? pet : { ...pet, status };
}
