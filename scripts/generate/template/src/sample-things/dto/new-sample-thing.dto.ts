import { ApiSchema } from '@nestjs/swagger';
import { FieldWithDefault } from '../../api/validation/field.decorator.js';
import type { Decimal } from '../../api/validation/rule.js';
// $valuesImports$
import { $imported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'NewSampleThing', description: 'A sample thing to add. The service assigns its id.' })
export class NewSampleThingDto {
  // $input$
}
