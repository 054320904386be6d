import { PathParameter } from '../../common/validation/field.decorator.js';
import { int64 } from '../../common/validation/rule.js';

export class PetPath {
  @PathParameter(int64(), { description: 'Identifier of the animal.', example: 1 })
  readonly petId!: bigint;
}
