// A default Nest stack: Express, passport, ValidationPipe, and TypeORM's find() and save().
import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { BearerStrategy } from './bearer.strategy.js';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

const { DATABASE_URL, PORT } = process.env;

@Module({
  imports: [
    PassportModule,
    TypeOrmModule.forRoot({ type: 'postgres', url: DATABASE_URL, entities: [Pet, ApiKey] }),
    TypeOrmModule.forFeature([Pet, ApiKey]),
  ],
  controllers: [PetsController],
  providers: [PetsService, BearerStrategy],
})
class AppModule {}

const app = await NestFactory.create(AppModule);
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(Number(PORT), '127.0.0.1');
