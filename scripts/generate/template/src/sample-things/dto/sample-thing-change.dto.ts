import { ApiSchema } from '@nestjs/swagger';
import { ClearableField, OptionalField } from '../../api/validation/field.decorator.js';
import type { Decimal } from '../../api/validation/rule.js';
// $valuesImports$
import { $changeableImported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'SampleThingChange', description: 'The fields of a sample thing to change.' })
export class SampleThingChangeDto {
  // $changes$
}
