import { faultsOfParts } from '../nested.mjs';
import { canChange, mayBeLeftOut } from './of-field.mjs';

export function exampleSlots(each) {
  return {
    usual: each(({ name, samples }) => `${name}: ${samples[0]}`, ', '),
    otherValue: otherValue(each((field) => canChange(field) && `${field.name}: ${field.samples[1]}`, '\n')),
    cleared: each(({ name, optional, reference }) => optional && !reference && `${name}: null`, ', '),
    minimal: each(
      (field) => !mayBeLeftOut(field) && `${field.name}: ${field.least ?? field.samples[0]}`,
      ', ',
    ),
  };
}

function otherValue(all) {
  return all.split('\n')[0];
}

export function testSlots(each) {
  return {
    members: each(
      ({ name, bodyType, rowType, optional }) => `${name}${optional ? '?' : ''}: ${bodyType ?? rowType};`,
    ),
    requiredNames: each((field) => !mayBeLeftOut(field) && field.name, ', '),
    required: each((field) => !mayBeLeftOut(field) && `'${field.name}'`, ', '),
    defaults: each(({ name, initial }) => initial && `${name}: ${initial}`, ', '),
    invalid: each(({ name, invalid }) => invalid.map((value) => `['${name}', ${value}],`).join('\n')),
    faultsOfParts: each((field) => field.parts && faultsOfParts(field)),
    kept: each(
      (field) =>
        !field.reference &&
        keptOf(field)
          .map((value) => `['${field.name}', ${value}],`)
          .join('\n'),
    ),
    others: each((field) => canChange(field) && `['${field.name}', ${otherOf(field)}],`),
    clearable: each((field) => canChange(field) && field.optional && `'${field.name}'`, ', '),
    invalidChanges: each(
      (field) =>
        canChange(field) &&
        [field.invalid[0], !field.optional && 'null']
          .filter(Boolean)
          .map((value) => `['${field.name}', ${value}],`)
          .join('\n'),
    ),
    referenceNames: each(({ name, reference }) => reference && `'${name}'`, ', '),
    references: each(
      ({ name, reference }) =>
        reference && `const [${name.replace(/Id$/, '')}] = await ${reference.add}(service, {});`,
    ),
    referenceIds: each(({ name, reference }) => reference && `${name}: ${name.replace(/Id$/, '')}!.id`, ', '),
    uniqueValues: each(({ name, unique, uniqueCode }) => unique && `${name}: ${uniqueCode}`, ', '),
    referenceImports: each(
      ({ reference }) => reference && `import { ${reference.add} } from './${reference.plural}.js';`,
    ),
  };
}

// Tests that are repeated on a deployment add new unique values.

function keptOf({ unique, uniqueKept, kept }) {
  return unique ? uniqueKept : kept;
}

function otherOf({ unique, uniqueCode, samples }) {
  return unique ? uniqueCode : samples[1];
}
