import { describe } from '@jest/globals';
import { Transform } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, IsOptional, ValidationTypes } from 'class-validator';
import { itFinds } from '../../../test/support/inside.js';

class Input {
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => value)
  readonly name?: string;
}

describe('internals of others that validation relies on', () => {
  itFinds(
    'class-validator: getTargetValidationMetadatas() of its storage',
    'src/api/validation/other-checks.ts',
    () => {
      const [check, ...others] = getMetadataStorage().getTargetValidationMetadatas(Input, '', true, false);
      return (
        others.length === 0 &&
        check?.propertyName === 'name' &&
        check.type === ValidationTypes.CONDITIONAL_VALIDATION
      );
    },
  );

  itFinds(
    'class-transformer: findTransformMetadatas() of its storage',
    'src/api/validation/other-checks.ts',
    () => defaultMetadataStorage.findTransformMetadatas(Input, 'name', 0).length === 1,
  );
});
