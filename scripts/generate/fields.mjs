import { isReserved, LONGEST_IN_DATABASE, TEMPLATE, waysToWrite } from './names.mjs';
import { CAMEL, KINDS } from './kinds.mjs';
import { readNested } from './nested.mjs';
import { referenced } from './referenced.mjs';
import { wordsOf } from './slots/of-field.mjs';
import { wordsOfTemplate } from './template.mjs';

const FIELD =
  /^(?<name>[^:()?=>{}-]+):(?:(?<kind>\w+)(?:\((?<range>[^)]*)\))?|\{(?<object>[^{}]*)\})(?<unique>:unique)?(?:->(?<target>[a-z0-9_]+))?(?<optional>\?)?(?:=(?<initial>.+))?$/;
const SYNTAX = `Write name:kind, such as 'name:text(255):unique price:decimal? petId:int64->pets complete:boolean=false address:{city:text(80) postcode:text(10)?}'; kinds: ${Object.keys(KINDS).join(', ')}. Lists are added by hand: docs/adding-a-module.md.`;
/** Reserved words of PostgreSQL that are camel-case names; the migration does not quote its columns. */
const RESERVED_COLUMNS = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
  deferrable desc distinct do else end except false fetch for foreign from grant group having in initially intersect
  into lateral leading limit localtime localtimestamp not null offset on only or order placing primary references
  returning select some symmetric table then to trailing true union unique user using variadic when where window with`.split(
    /\s+/,
  ),
);

/** Reads a table of fields, such as "name:text(255) price:decimal?", or throws an error that says what to write. */
export function readFields(table, { plural, singular }, operations) {
  const fields = table.map((text) => readField(text, { plural, singular }));
  for (const { name } of fields) {
    if (fields.filter((field) => field.name === name).length > 1) {
      throw new Error(`There are two fields "${name}". Leave one out.`);
    }
  }
  if (operations.has('update') && fields.every(({ reference }) => reference)) {
    throw new Error(
      'An update needs a field that it can change. Add one, or leave out the update with --only.',
    );
  }
  return fields;
}

function readField(text, { plural, singular }) {
  const parts = FIELD.exec(text)?.groups;
  if (!parts) throw new Error(`The field "${text}" is not readable. ${SYNTAX}`);
  const { name } = parts;
  const fail = (advice) => {
    throw new Error(`The field "${text}": ${advice}`);
  };
  if (!CAMEL.test(name)) fail('write its name in camel case, such as makerId.');
  if (name === 'id') fail('the service assigns the id; leave it out.');
  if (isReserved(name) || RESERVED_COLUMNS.has(name) || name in Object.prototype) {
    fail(
      `"${name}" is a reserved word. Choose another name, such as ${waysToWrite(singular)[1]}${name[0].toUpperCase()}${name.slice(1)}.`,
    );
  }
  const words = waysOf(name);
  const used = parts.kind ? [words.type] : [words.type, `${words.type}Dto`];
  if (used.some((word) => wordsOfTemplate().has(waysToWrite(TEMPLATE.singular)[0] + word))) {
    fail(
      `the generated code uses "${waysToWrite(singular)[0]}${words.type}" for something else. Choose another name.`,
    );
  }
  const made = { ...words, kind: parts.kind, ...kindOf(parts, fail, words) };
  const column = `${waysToWrite(plural)[3]}_${words.column}_${made.rule ?? 'fkey'}`;
  if (column.length > LONGEST_IN_DATABASE)
    fail(`its constraint "${column}" would be too long. Shorten its name.`);
  if (parts.target && parts.kind !== 'int64') fail('a reference is an int64, such as petId:int64->pets.');
  if (parts.unique && !(made.canBeUnique && !parts.optional && parts.initial === undefined)) {
    fail(
      'only an email, or a text of 20 to 500 characters, can be unique, such as name:text(255):unique, and it is always there.',
    );
  }
  if (parts.optional && parts.initial !== undefined) {
    fail('leave out the "?": a field with a default may be left out of a request anyway.');
  }
  const initial = parts.initial === undefined ? undefined : initialOf(parts, made, fail);
  return {
    ...made,
    samples: made.samples.toSorted((a, b) => (a === initial) - (b === initial)), // tests tell a sample from the default
    optional: Boolean(parts.optional),
    unique: Boolean(parts.unique),
    reference: parts.target && referenced(parts.target, fail),
    initial,
  };
}

function kindOf({ kind, range, object }, fail, words) {
  if (object !== undefined) return readNested(object, fail, words);
  if (!Object.hasOwn(KINDS, kind)) fail(`there is no kind "${kind}". ${SYNTAX}`);
  return KINDS[kind].read(range, fail, words);
}

function initialOf({ initial, target }, { readInitial }, fail) {
  if (target || !readInitial) fail('this kind takes no default. Leave out the "=".');
  return readInitial(initial, fail);
}

/** Spellings of a field: property, type, column, constant, prose. */
function waysOf(name) {
  const column = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    name,
    type: name[0].toUpperCase() + name.slice(1),
    column,
    kebab: column.replaceAll('_', '-'),
    constant: column.toUpperCase(),
    words: wordsOf(name),
  };
}
