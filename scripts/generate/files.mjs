import { join } from 'node:path';
import { root } from '../support/root.mjs';
import { assemble } from './assemble.mjs';
import { keepingOf } from './kept.mjs';
import { rename } from './names.mjs';
import { nestedFiles } from './nested.mjs';
import { needsOf } from './operations.mjs';
import { slotsOf, valuesFiles } from './slots.mjs';
import { readTemplate } from './template.mjs';

/** The timestamp in the name of the template's migration. */
const TEMPLATE_TIME = '1000000000000';

/** The formatted files of a new resource, by path. */
export async function filesOf({ names, fields, operations, keeping = keepingOf(fields) }, now) {
  const { format, resolveConfig } = await import('prettier');
  const slots = slotsOf(fields, operations, keeping);
  const conditions = conditionsOf(fields, operations);
  const assembled = Object.entries(readTemplate())
    .filter(([path]) => needsOf(path).some((need) => conditions.has(need)))
    .map(([path, text]) => [path, assemble(text, conditions, slots)]);
  const nested = nestedFiles(fields).map(([path, text]) => [path, assemble(text, conditions, slots)]);
  const made = [...assembled, ...valuesFiles(fields), ...nested].map(async ([path, text]) => {
    const named = (source) => rename(source, names).replaceAll(TEMPLATE_TIME, String(now));
    const filepath = join(root, named(path));
    const options = { ...(await resolveConfig(filepath)), filepath };
    return [named(path), await format(named(text), options)];
  });
  return Object.fromEntries(await Promise.all(made));
}

function conditionsOf(fields, operations) {
  const conditions = new Set(operations);
  if (fields.some(({ optional, reference }) => optional && !reference)) conditions.add('clearable');
  if (fields.some(({ reference }) => reference)) conditions.add('references');
  if (fields.some(({ parts }) => parts)) conditions.add('nested');
  if (fields.some(({ unique }) => unique)) conditions.add('unique');
  if (fields.some(({ optional, initial }) => optional || initial !== undefined)) conditions.add('optional');
  if (fields.some(({ kept, reference }) => kept.length > 0 && !reference)) conditions.add('kept');
  return conditions;
}
