import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.mjs';
import { waysToWrite } from './names.mjs';

/** Throws if a resource collides with an existing folder, file, table or schema. */
export function refuseTaken({ plural, singular }, paths) {
  const folder = `src/${plural}`;
  const path = [folder, ...paths].find((candidate) => existsSync(join(root, candidate)));
  if (path) {
    throw new Error(
      `${path} already exists. Choose another name, or delete the files of an earlier attempt.`,
    );
  }
  const table = waysToWrite(plural)[3];
  const owner = entities().find((file) =>
    readFileSync(join(root, file), 'utf8').includes(`@Entity('${table}')`),
  );
  if (owner) throw new Error(`${owner} already has a table "${table}". Choose another name.`);
  const { schemas } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')).components;
  const schema = [plural, singular].map((name) => waysToWrite(name)[0]).find((name) => name in schemas);
  if (schema)
    throw new Error(
      `The document already has a schema "${schema}". Choose another name, or run "npm run openapi" to remove a stale one.`,
    );
}

function entities() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.entity.ts'))
    .map((file) => join('src', file));
}
