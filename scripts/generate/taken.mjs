import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.mjs';
import { waysToWrite } from './names.mjs';

/** Throws when a resource would meet something that is there: a folder, a file, a table, a name in the document. */
export function refuseTaken({ plural, singular }, paths) {
  const folder = `src/${plural}`;
  const path = [folder, ...paths].find((candidate) => existsSync(join(root, candidate)));
  if (path) {
    throw new Error(
      `${path} is there already. Choose another name, or delete what is left of an earlier try.`,
    );
  }
  const table = waysToWrite(plural)[3];
  const owner = entities().find((file) =>
    readFileSync(join(root, file), 'utf8').includes(`@Entity('${table}')`),
  );
  if (owner) throw new Error(`${owner} has a table "${table}" already. Choose another name.`);
  const { schemas } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')).components;
  const schema = [plural, singular].map((name) => waysToWrite(name)[0]).find((name) => name in schemas);
  if (schema)
    throw new Error(
      `The document has a schema "${schema}" already. Choose another name, or let "npm run openapi" forget one that is gone.`,
    );
}

function entities() {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.entity.ts'))
    .map((file) => join('src', file));
}
