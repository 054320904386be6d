import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
// $moduleImports$
import { CreateSampleThings1000000000000 } from './migrations/1000000000000-create-sample-things.js';
import { SampleThing } from './sample-thing.entity.js';
import { SampleThingsController } from './sample-things.controller.js';
import { SampleThingsRepository } from './sample-things.repository.js';
import { SampleThingsService } from './sample-things.service.js';

@Module({
  imports: [DatabaseModule.forFeature([SampleThing], [CreateSampleThings1000000000000]), $modules$],
  controllers: [SampleThingsController],
  providers: [SampleThingsService, SampleThingsRepository],
})
export class SampleThingsModule {}
