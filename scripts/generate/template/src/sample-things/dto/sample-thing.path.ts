import { PathParameter } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';

export class SampleThingPath {
  @PathParameter(int64(), { description: 'Identifier of the sample thing.', example: 1 })
  readonly sampleThingId!: bigint;
}
