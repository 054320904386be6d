// The code that depends on the fields of a resource: one text for each slot of the template, in the template's names.

import { dtoSlots } from './slots/dto.mjs';
import { errorSlots } from './slots/errors.mjs';
import { entitySlots, migrationSlots } from './slots/table.mjs';
import { exampleSlots, testSlots } from './slots/tests.mjs';

export function slotsOf(fields, operations, keeping) {
  const each = (write, by = '\n') => fields.map(write).filter(Boolean).join(by);
  return {
    ...entitySlots(each),
    ...migrationSlots(each),
    ...dtoSlots(each, operations),
    ...exampleSlots(each),
    ...testSlots(each),
    ...errorSlots(each),
    keeping,
    fresh: freshOf(fields),
    andReturnsLocation: operations.has('get') ? ' and returns its Location' : '',
    fieldImports: each(
      ({ values, parts, kebab, rowType }) =>
        (values && `import { ${values.list}, type ${rowType} } from '../sample-thing-${kebab}.js';`) ||
        (parts && `import { ${rowType} } from './sample-thing-${kebab}.dto.js';`),
    ),
    fieldImportsHere: each(
      ({ values, parts, kebab, rowType }) =>
        (values && `import type { ${rowType} } from './sample-thing-${kebab}.js';`) ||
        (parts && `import { ${rowType} } from './dto/sample-thing-${kebab}.dto.js';`),
    ),
    moduleImports: each(
      ({ reference }) => reference && `import { ${reference.module.type} } from '${reference.module.path}';`,
    ),
    modules: [...new Set(fields.flatMap(({ reference }) => reference?.module.type ?? []))].join(', '),
    names: each(({ name }) => name, ', '),
  };
}

/** A body that can be added again and again. */
function freshOf(fields) {
  if (fields.some(({ reference }) => reference)) return 'await newSampleThing(service)';
  return fields.some(({ unique }) => unique) ? 'newSampleThing()' : 'SAMPLE_THING';
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
