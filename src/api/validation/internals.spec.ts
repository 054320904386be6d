import { describe } from '@jest/globals';
import { getMetadataStorage, IsOptional, ValidationTypes } from 'class-validator';
import { itFinds } from '../../../test/support/inside.js';

class Input {
  @IsOptional()
  readonly name?: string;
}

describe('internals of others that validation relies on', () => {
  itFinds(
    'class-validator: getTargetValidationMetadatas() of its storage',
    'src/api/validation/declared-fields.ts',
    () => {
      const [check, ...others] = getMetadataStorage().getTargetValidationMetadatas(Input, '', true, false);
      return (
        others.length === 0 &&
        check?.propertyName === 'name' &&
        check.type === ValidationTypes.CONDITIONAL_VALIDATION
      );
    },
  );
});
