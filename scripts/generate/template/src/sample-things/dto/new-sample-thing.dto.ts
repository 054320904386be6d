import { ApiSchema } from '@nestjs/swagger';
// $valuesImports$
import { $imported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'NewSampleThing', description: 'A sample thing to add. The service assigns its id.' })
export class NewSampleThingDto {
  // $input$
}
