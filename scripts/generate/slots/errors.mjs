import { articleOf } from '../names.mjs';

export function errorSlots(each) {
  return {
    errors: each(
      (field) => (field.reference && ofReference(field)) || (field.unique && ofUnique(field)),
      '\n\n',
    ),
    refusals: each((field) => (field.reference || field.unique) && errorOf(field), ', '),
    taken: each((field) => field.unique && errorOf(field), ', '),
    takenCases: each((field) => field.unique && `['${field.name}', ${errorOf(field)}],`),
  };
}

function ofReference(field) {
  const { name, column, reference } = field;
  return `export const ${errorOf(field)} = declareError('invalid_field', {
      message: 'The field "${name}" must be the id of ${articleOf(reference.words)} ${reference.words}.',
      onConstraint: 'sample_things_${column}_fkey',
    });`;
}

function ofUnique(field) {
  const { column, words } = field;
  return `export const ${errorOf(field)} = declareError('sample_thing_${column}_taken', {
      status: 409,
      when: 'Another sample thing has this ${words}.',
      advice: 'Choose another ${words}.',
      onConstraint: 'sample_things_${column}_unique',
    });`;
}

function errorOf({ type, reference }) {
  return reference ? `unknown${type}` : `sampleThing${type}Taken`;
}
