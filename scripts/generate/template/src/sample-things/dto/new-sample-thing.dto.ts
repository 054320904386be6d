import { ApiSchema } from '@nestjs/swagger';
import { SampleThingName } from './sample-thing.fields.js';

@ApiSchema({ name: 'NewSampleThing', description: 'A sample thing to add. The service assigns its id.' })
export class NewSampleThingDto {
  @SampleThingName()
  readonly name!: string;
}
