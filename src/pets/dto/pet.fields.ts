import { Field, OptionalField } from '../../api/validation/field.decorator.js';
import { int64, oneOf, text } from '../../api/validation/rule.js';
import { PET_STATUSES } from '../pet-status.js';

// The fields of an animal, shared by input and output.

export const petStatus = oneOf('PetStatus', PET_STATUSES, 'Availability of an animal.');

export const PetName = () =>
  Field(text({ minLength: 1, maxLength: 255 }), { description: "The animal's name.", example: 'Rex' });

export const PetCategoryId = () =>
  Field(int64(), {
    description: 'Identifier of the category the animal belongs to.',
    example: 1,
  });

export const OptionalPetStatus = () =>
  OptionalField(petStatus, { description: 'Availability of the animal.', example: 'available' });
