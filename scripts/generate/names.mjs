import { Script } from 'node:vm';
import { wordsOfTemplate } from './template.mjs';

/** What the template calls the resource. Two words, so that each way of writing them can be told from the others. */
export const TEMPLATE = { plural: 'sample-things', singular: 'sample-thing' };

/** PostgreSQL cuts names off at 63 bytes, and those of constraints begin with the table's. */
const LONGEST = 40;
const KEBAB = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;

/** The plural and the singular of a resource, or an error that says what to do. */
export function readNames(plural, given) {
  refuseBad(plural);
  const singular = given ?? singularOf(plural);
  refuseBad(singular);
  if (plural === singular) {
    throw new Error(`The plural and the singular are both "${plural}"; the code needs two names.`);
  }
  for (const name of [plural, singular]) refuseUsed(name, plural);
  return { plural, singular };
}

/** Text of the template with the names of a resource instead. */
export function rename(text, names) {
  const replacements = new Map(
    ['plural', 'singular'].flatMap((number) => {
      const [from, to] = [waysToWrite(TEMPLATE[number]), waysToWrite(names[number])];
      return from.map((word, i) => [word, to[i]]);
    }),
  );
  const words = [...replacements.keys()].toSorted((a, b) => b.length - a.length).join('|');
  const article = /^([aeio]|u(?!ni|s))/.test(names.singular) ? 'n' : '';
  return text
    .replaceAll(/\b([Aa]) (?=sample thing)/g, `$1${article} `)
    .replaceAll(new RegExp(words, 'g'), (word) => replacements.get(word));
}

/** As a type, a variable, a file, a table, a constant and in a sentence. */
export function waysToWrite(name) {
  const words = name.split('-');
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const type = words.map(capital).join('');
  const variable = words[0] + words.slice(1).map(capital).join('');
  const table = words.join('_');
  return [type, variable, name, table, table.toUpperCase(), words.join(' ')];
}

/** Where the plural does not tell (boxes and axes, caches and matches), a person does. */
function singularOf(plural) {
  if (/[^aeiou]ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(sh|ss)es$/.test(plural)) return plural.slice(0, -2);
  if (plural.endsWith('s') && !/(ss|us|ches|oes|ses|xes|zes)$/.test(plural)) return plural.slice(0, -1);
  throw new Error(`What is one of "${plural}" called? Add: --singular <name>`);
}

function refuseBad(name) {
  if (!KEBAB.test(name) || name.length > LONGEST) {
    throw new Error(
      `"${name}" does not do. A name is small letters and digits, words joined by hyphens, such as pet-toys, ` +
        `and no longer than ${LONGEST} characters.`,
    );
  }
}

/** A resource "pages" would have a class `Page`, and the code that uses it needs another one of that name. */
function refuseUsed(name, plural) {
  const [type, variable] = waysToWrite(name);
  const used = [type, variable].find(
    (word) => type in globalThis || isReserved(word) || wordsOfTemplate().has(word),
  );
  if (used) {
    throw new Error(
      `The generated code needs "${used}" for something else. Say more, such as "animal-${plural}".`,
    );
  }
}

function isReserved(word) {
  try {
    return !new Script(`'use strict'; let ${word};`);
  } catch {
    return true;
  }
}
