import { join } from 'node:path';
import { root } from '../support/root.mjs';
import { rename } from './names.mjs';
import { readTemplate } from './template.mjs';

/** The timestamp in the name of the template's migration. */
const TEMPLATE_TIME = '1000000000000';

/** The formatted files of a new resource, by path. */
export async function filesOf(names, now) {
  const { format, resolveConfig } = await import('prettier');
  const made = Object.entries(readTemplate()).map(async ([templatePath, template]) => {
    const named = (text) => rename(text, names).replaceAll(TEMPLATE_TIME, String(now));
    const filepath = join(root, named(templatePath));
    const options = { ...(await resolveConfig(filepath)), filepath };
    return [named(templatePath), await format(named(template), options)];
  });
  return Object.fromEntries(await Promise.all(made));
}
