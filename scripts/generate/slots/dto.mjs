import { canChange, descriptionOf, inQuotes } from './of-field.mjs';

export function dtoSlots(each, operations) {
  return {
    enumerations: each(
      ({ values, ruleCode, rowType, words }) =>
        values &&
        `export const ${ruleCode} = oneOf('${rowType}', ${values.list}, 'The ${words} of a sample thing.');`,
      '\n\n',
    ),
    declarations: each((field) => declaration(field, operations), '\n\n'),
    imported: each(nameOf, ', '),
    input: each((field) => property(newNameOf(field), field, { absent: field.optional }), '\n\n'),
    output: each((field) => property(nameOf(field), field, { absent: field.optional }), '\n\n'),
    changes: each(
      (field) =>
        canChange(field) && property(changeNameOf(field), field, { absent: true, orNull: field.optional }),
      '\n\n',
    ),
    newImported: each(newNameOf, ', '),
    changeImported: each((field) => canChange(field) && changeNameOf(field), ', '),
    changeable: each((field) => canChange(field) && field.name, ', '),
    shown: each(({ name, optional }) => (optional ? `${name}: ${name} ?? undefined` : name), ', '),
    inserted: each((field) => inserted(field), ', '),
  };
}

function inserted({ name, optional }) {
  return optional ? `${name}: ${name} ?? null` : name;
}

function declaration(field, operations) {
  const { type, ruleCode, values, optional, initial, samples } = field;
  const about = `{ description: ${inQuotes(descriptionOf(field, 'sample thing'))}, example: ${samples[0]} }`;
  const usual = optional ? 'OptionalField' : 'Field';
  const isChanged = operations.has('update') && canChange(field);
  if (!isChanged && initial === undefined)
    return `export const ${nameOf(field)} = () => ${usual}(${ruleCode}, ${about});`;
  const rule = values ? ruleCode : `${field.name}Rule`;
  return [
    !values && `const ${rule} = ${ruleCode};\n`,
    `const about${type} = ${about};\n\n`,
    `export const ${nameOf(field)} = () => ${usual}(${rule}, about${type});\n`,
    initial !== undefined &&
      `export const ${newNameOf(field)} = () => OptionalField(${rule}, { ...about${type}, default: ${initial} });\n`,
    isChanged &&
      `export const ${changeNameOf(field)} = () => OptionalField(${optional ? `nullable(${rule})` : rule}, about${type});`,
  ]
    .filter(Boolean)
    .join('');
}

function property(decorator, { name, rowType }, { absent = false, orNull = false } = {}) {
  return `@${decorator}()\nreadonly ${name}${absent ? '?' : '!'}: ${orNull ? `${rowType} | null` : rowType};`;
}

function newNameOf(field) {
  return field.initial === undefined ? nameOf(field) : `NewSampleThing${field.type}`;
}

function changeNameOf({ type }) {
  return `SampleThing${type}Change`;
}

function nameOf(field) {
  if (field.optional) return `OptionalSampleThing${field.type}`;
  return `SampleThing${field.type}${field.values ? 'Field' : ''}`; // the type of an enumeration has the shorter name
}
