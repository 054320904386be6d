// A field that is an object, such as address:{street:text(80) postcode:text(10)?}: a DTO of its own in a jsonb column.
import { CAMEL, KINDS } from './kinds.mjs';
import { descriptionOf, wordsOf } from './slots/of-field.mjs';

const PART = /^(?<name>[^:()?]+):(?<kind>\w+)(?:\((?<range>[^)]*)\))?(?<optional>\?)?$/;
const PART_KINDS = Object.keys(KINDS).filter((kind) => kind !== 'oneOf');
const SYNTAX = `Write its fields in braces, such as address:{street:text(80) postcode:text(10)?}; kinds: ${PART_KINDS.join(', ')}.`;

/** Splits a table at its spaces, except those in braces. */
export function splitFields(table) {
  return table.match(/(?:\{[^{}]*\}|\S)+/g) ?? [];
}

/** What the generated code asks of a kind; see kinds.mjs. */
export function readNested(text, fail, { type }) {
  const parts = splitFields(text).map((part) => readPart(part, fail));
  if (parts.length === 0) fail(`it is empty. ${SYNTAX}`);
  const repeated = parts.find(({ name }, i) => parts.some((other, j) => j < i && other.name === name));
  if (repeated) fail(`there are two fields "${repeated.name}". Leave one out.`);
  const required = parts.filter(({ optional }) => !optional);
  return {
    rowType: `SampleThing${type}Dto`,
    columnType: 'jsonb',
    columnOptions: [`transformer: jsonOf(SampleThing${type}Dto)`],
    ruleCode: `nested(SampleThing${type}Dto)`,
    bodyType: `{ ${parts.map(({ name, optional, bodyType, rowType }) => `${name}${optional ? '?' : ''}: ${bodyType ?? rowType}`).join('; ')} }`,
    samples: [valueOf(parts), valueOf(parts, 1)],
    least: valueOf(required),
    kept: [...(required.length < parts.length ? [valueOf(required)] : []), greatestOf(parts)],
    invalid: ["'Sample'", '[]'],
    parts,
  };
}

function readPart(text, fail) {
  const { name, kind, range, optional } =
    PART.exec(text)?.groups ?? fail(`"${text}" is not readable. ${SYNTAX}`);
  const refuse = (advice) => fail(`"${text}": ${advice}`);
  if (!CAMEL.test(name) || name in Object.prototype)
    refuse('write its name in camel case, such as postalCode.');
  if (!PART_KINDS.includes(kind)) refuse(`an object has no fields of the kind "${kind}". ${SYNTAX}`);
  return {
    name,
    kind,
    words: wordsOf(name),
    optional: Boolean(optional),
    ...KINDS[kind].read(range, refuse),
  };
}

function valueOf(parts, sample = 0) {
  return `{ ${parts.map(({ name, samples }) => `${name}: ${samples[sample]}`).join(', ')} }`;
}

function greatestOf(parts) {
  return `{ ${parts.map(({ name, kept, samples }) => `${name}: ${kept[0] ?? samples[0]}`).join(', ')} }`;
}

/** The DTOs of the objects. */
export function nestedFiles(fields) {
  return fields
    .filter(({ parts }) => parts)
    .map(({ parts, kebab, type, words, rowType }) => [
      `src/sample-things/dto/sample-thing-${kebab}.dto.ts`,
      `import { ApiSchema } from '@nestjs/swagger';
import { Field, OptionalField } from '../../api/validation/field.decorator.js';
import { boolean, dateTime, type Decimal, decimal, email, int64, integer, text } from '../../api/validation/rule.js';

@ApiSchema({ name: 'SampleThing${type}', description: 'The ${words} of a sample thing.' })
export class ${rowType} {
${parts.map((part) => property(part, words)).join('\n\n')}
}
`,
    ]);
}

function property(part, owner) {
  const { name, optional, ruleCode, rowType, samples } = part;
  const about = `{ description: '${descriptionOf(part, owner)}', example: ${samples[0]} }`;
  return `@${optional ? 'OptionalField' : 'Field'}(${ruleCode}, ${about})
readonly ${name}${optional ? '?' : '!'}: ${rowType};`;
}

/** Rows of a test: the code of the error, the path that it names, and what to send. */
export function faultsOfParts({ name: owner, parts }) {
  const row = (code, part, value) => `['${code}', '${owner}.${part}', { ${owner}: ${value} }],`;
  const changed = (part, value) => `{ ...SAMPLE_THING.${owner}, ${part}: ${value} }`;
  return [
    ...parts
      .filter(({ optional }) => !optional)
      .map(({ name }) => row('missing_field', name, valueOf(parts.filter((part) => part.name !== name)))),
    ...parts.map(({ name, invalid }) => row('invalid_field', name, changed(name, invalid.at(-1)))),
    row('unknown_field', 'surprise', changed('surprise', '1')),
  ].join('\n');
}
