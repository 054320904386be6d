import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, validateSync } from 'class-validator';
import { Fault } from './fault.js';

/** The decorators of class-transformer and class-validator on a class, beside the rules of its fields. */
export interface OtherChecks {
  /** Returns the input as class-transformer changes it, before the rules read it. */
  transform(given: object): object;
  /** Applies the decorators of class-validator to the values that the rules accepted. */
  faultOf(instance: object): Fault | undefined;
}

/** A decorator of class-validator on a property. */
export type Check = ReturnType<typeof checksOf>[number];

/** The decorators of class-validator on the properties of a class. */
export function checksOf(input: Type) {
  return getMetadataStorage().getTargetValidationMetadatas(input, '', true, false);
}

/** Returns `undefined` for a class without such decorators. */
export function otherChecksOf(input: Type, fields: readonly string[]): OtherChecks | undefined {
  const checks = checksOf(input);
  for (const { propertyName, constraintCls } of checks) {
    const own = constraintCls ? getMetadataStorage().getTargetValidatorConstraints(constraintCls) : [];
    if (own.some((constraint) => constraint.async)) {
      throw new Error(
        `${input.name}.${propertyName} has an asynchronous validator: check it in the service.`,
      );
    }
  }
  const transforms = fields.some((name) => isTransformed(input, name));
  if (checks.length === 0 && !transforms) return undefined;
  return {
    transform: (given) => (transforms ? (plainToInstance(input, given) as object) : given),
    faultOf: (instance) => (checks.length > 0 ? firstFault(instance) : undefined),
  };
}

function firstFault(instance: object): Fault | undefined {
  // The rules have decided which fields may be absent or null.
  const [fault] = validateSync(instance, { skipMissingProperties: true });
  if (!fault) return undefined;
  const { property } = fault;
  const [message = 'is not valid'] = Object.values(fault.constraints ?? {});
  const says = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
  return new Fault('invalid', says, property);
}

const TO_CLASS = 0; // TransformationType.PLAIN_TO_CLASS

function isTransformed(input: Type, name: string): boolean {
  const storage = defaultMetadataStorage;
  return (
    storage.findTransformMetadatas(input, name, TO_CLASS).length > 0 ||
    [
      storage.findTypeMetadata(input, name),
      storage.findExposeMetadata(input, name),
      storage.findExcludeMetadata(input, name),
    ].some((metadata) => metadata !== undefined)
  );
}
