// The code that depends on the fields of a resource: one text for each slot of the template, in the template's names.

import { articleOf } from './names.mjs';

export function slotsOf(fields, operations) {
  const each = (write, by = '\n') => fields.map(write).filter(Boolean).join(by);
  return {
    ...entitySlots(each),
    ...migrationSlots(each),
    ...dtoSlots(each, operations),
    ...exampleSlots(each),
    ...testSlots(each),
    ...errorSlots(each),
    andReturnsLocation: operations.has('get') ? ' and returns its Location' : '',
    valuesImports: each(
      ({ values, kebab, rowType }) =>
        values && `import { ${values.list}, type ${rowType} } from '../sample-thing-${kebab}.js';`,
    ),
    valuesImportsHere: each(
      ({ values, kebab, rowType }) =>
        values && `import type { ${rowType} } from './sample-thing-${kebab}.js';`,
    ),
    moduleImports: each(
      ({ reference }) => reference && `import { ${reference.module.type} } from '${reference.module.path}';`,
    ),
    modules: [...new Set(fields.flatMap(({ reference }) => reference?.module.type ?? []))].join(', '),
    names: each(({ name }) => name, ', '),
  };
}

/** The files of enumerations: a list of values and its type. */
export function valuesFiles(fields) {
  return fields
    .filter(({ values }) => values)
    .map(({ values, kebab, rowType }) => [
      `src/sample-things/sample-thing-${kebab}.ts`,
      `export const ${values.list} = ${values.code} as const;\nexport type ${rowType} = (typeof ${values.list})[number];\n`,
    ]);
}

function entitySlots(each) {
  return {
    indices: each(
      ({ reference, name, column }) => reference && `@Index('sample_things_${column}', ['${name}', 'id'])`,
    ),
    checks: each(
      ({ check, column, rule }) =>
        check && `@Check('sample_things_${column}_${rule}', ${inQuotes(check(column))})`,
    ),
    columns: each(
      (field) =>
        `${foreignKey(field)}@Column(${columnArguments(field)})\nreadonly ${field.name}!: ${orNull(field)};`,
      '\n\n',
    ),
  };
}

function foreignKey({ reference, column }) {
  return reference ? `@ForeignKey('${reference.table}', { name: 'sample_things_${column}_fkey' })\n` : '';
}

function columnArguments({ columnType, columnOptions = [], name, column, optional }) {
  const options = [
    column !== name && `name: '${column}'`,
    ...columnOptions,
    optional && 'nullable: true',
  ].filter(Boolean);
  return options.length > 0 ? `'${columnType}', { ${options.join(', ')} }` : `'${columnType}'`;
}

function orNull({ rowType, optional }) {
  return optional ? `${rowType} | null` : rowType;
}

function migrationSlots(each) {
  return {
    columnsInSql: each((field) => `,\n        ${columnInSql(field)}`, ''),
    indicesInSql: each(
      ({ reference, column }) =>
        reference &&
        `await runner.query('CREATE INDEX sample_things_${column} ON sample_things (${column}, id)');`,
    ),
  };
}

function columnInSql({ column, columnType, sqlType = columnType, optional, check, rule, reference }) {
  const parts = [`${column} ${sqlType}`];
  if (!optional) parts.push('NOT NULL');
  if (check) parts.push(`CONSTRAINT sample_things_${column}_${rule} CHECK (${check(column)})`);
  if (reference) parts.push(`CONSTRAINT sample_things_${column}_fkey REFERENCES ${reference.table} (id)`);
  return parts.join(' ');
}

function dtoSlots(each, operations) {
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

/** A reference stays as it is: what depends on it would have to follow. */
function canChange({ reference }) {
  return !reference;
}

function declaration(field, operations) {
  const { type, ruleCode, values, optional, initial, samples } = field;
  const about = `{ description: ${inQuotes(descriptionOf(field))}, example: ${samples[0]} }`;
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

function descriptionOf({ kind, name, words, reference }) {
  if (reference) return `Identifier of the ${reference.words} of the sample thing.`;
  if (kind === 'boolean') return `Whether the sample thing is ${words}.`;
  if (name.endsWith('Id')) return `Identifier of the ${words.replace(/ id$/, '')} of the sample thing.`;
  return `The ${words} of the sample thing.`;
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

function mayBeLeftOut({ optional, initial }) {
  return optional || initial !== undefined;
}

function errorSlots(each) {
  return {
    errors: each(
      ({ name, column, reference }) =>
        reference &&
        `export const ${refusalOf(name)} = declareError('invalid_field', {
      message: 'The field "${name}" must be the id of ${articleOf(reference.words)} ${reference.words}.',
      onConstraint: 'sample_things_${column}_fkey',
    });`,
      '\n\n',
    ),
    refusals: each(({ name, reference }) => reference && refusalOf(name), ', '),
  };
}

function refusalOf(name) {
  return `unknown${name[0].toUpperCase()}${name.slice(1)}`;
}

function exampleSlots(each) {
  return {
    usual: each(({ name, samples }) => `${name}: ${samples[0]}`, ', '),
    otherValue: otherValue(each((field) => canChange(field) && `${field.name}: ${field.samples[1]}`, '\n')),
    cleared: each(({ name, optional, reference }) => optional && !reference && `${name}: null`, ', '),
    minimal: each((field) => !mayBeLeftOut(field) && `${field.name}: ${field.samples[0]}`, ', '),
  };
}

function otherValue(all) {
  return all.split('\n')[0];
}

function testSlots(each) {
  return {
    members: each(
      ({ name, bodyType, rowType, optional }) => `${name}${optional ? '?' : ''}: ${bodyType ?? rowType};`,
    ),
    requiredNames: each((field) => !mayBeLeftOut(field) && field.name, ', '),
    required: each((field) => !mayBeLeftOut(field) && `'${field.name}'`, ', '),
    defaults: each(({ name, initial }) => initial && `${name}: ${initial}`, ', '),
    invalid: each(({ name, invalid }) => invalid.map((value) => `['${name}', ${value}],`).join('\n')),
    kept: each(
      ({ name, kept, reference }) => !reference && kept.map((value) => `['${name}', ${value}],`).join('\n'),
    ),
    others: each((field) => canChange(field) && `['${field.name}', ${field.samples[1]}],`),
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
    referenceImports: each(
      ({ reference }) => reference && `import { ${reference.add} } from './${reference.plural}.js';`,
    ),
  };
}

function inQuotes(text) {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
