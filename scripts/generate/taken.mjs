import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.mjs';
import { waysToWrite } from './names.mjs';
import { entities } from './referenced.mjs';

/** Throws if a resource collides with an existing folder, file, table, path or schema. */
export function refuseTaken({ plural, singular, path }, fields, files) {
  const folder = `src/${plural}`;
  const file = [folder, ...files].find((candidate) => existsSync(join(root, candidate)));
  if (file) {
    throw new Error(
      `${file} already exists. Choose another name, or delete the files of an earlier attempt.`,
    );
  }
  const table = waysToWrite(plural)[3];
  const owner = entities().find((entity) => entity.table === table);
  if (owner) throw new Error(`${owner.path} already has a table "${table}". Choose another name.`);
  const { paths, components } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  if (`/${path}` in paths)
    throw new Error(`The document already has a path /${path}. Choose another: --path`);
  const [type] = waysToWrite(singular);
  const types = [
    type,
    waysToWrite(plural)[0],
    `New${type}`,
    `${type}Update`,
    ...fields.filter(({ values, parts }) => values ?? parts).map((field) => `${type}${field.type}`),
  ];
  const schema = types.find((name) => name in components.schemas);
  if (schema) {
    throw new Error(
      `The document already has a schema "${schema}". Choose another name, or run "npm run openapi" to remove a stale one.`,
    );
  }
}
