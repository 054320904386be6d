import { ApiSchema } from '@nestjs/swagger';
import type { Decimal } from '../../api/validation/rule.js';
// $fieldImports$
import { $changeImported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'SampleThingChange', description: 'The fields of a sample thing to change.' })
export class SampleThingChangeDto {
  // $changes$
}
