import { PathParameter } from '../../common/validation/field.decorator.js';
import { int64 } from '../../common/validation/rule.js';

export class SampleThingPath {
  @PathParameter(int64(), { description: 'Identifier of the sample thing.', example: 1 })
  readonly sampleThingId!: bigint;
}
