import { Module } from '@nestjs/common';
import { DatabaseModule } from '../../src/database/database.module.js';
import { CreateSamples1795900000000 } from './migrations/1795900000000-create-samples.js';
import { Sample } from './sample.entity.js';
import { SamplesController } from './samples.controller.js';
import { SamplesService } from './samples.service.js';

@Module({
  imports: [DatabaseModule.forFeature([Sample], [CreateSamples1795900000000])],
  controllers: [SamplesController],
  providers: [SamplesService],
})
export class SamplesModule {}
