import { ApiSchema } from '@nestjs/swagger';
import type { Decimal } from '../../api/validation/rule.js';
// $fieldImports$
import { $newImported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'NewSampleThing', description: 'A sample thing to add. The service assigns its id.' })
export class NewSampleThingDto {
  // $input$
}
