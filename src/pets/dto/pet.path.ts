import { PathParameter } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';

export class PetPath {
  @PathParameter(int64(), { description: 'Identifier of the animal.', example: 1 })
  readonly petId!: bigint;
}
