import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
const client = join(root, 'clients/typescript');
const generator = pathToFileURL(join(root, 'scripts/client/operations.mjs')).href;
export const { clientOperations } = (await import(generator)) as {
  clientOperations(document: object): string;
};

/** A call of a generated client, and the type that it must have. */
export interface Use {
  readonly call: string;
  readonly type: string;
}

/** A program that compiles only if each use has exactly its type and no mistake compiles. */
const program = (uses: readonly Use[], mistakes: readonly string[]): string => `
import * as api from './client.js';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const exactly = <A>() => <B>(value: B & (Same<A, B> extends true ? unknown : never)): B => value;
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}
export const uses = [
${uses.map(({ call, type }) => `async (store: api.AnimalStore) => exactly<${type}>()(await ${call}),`).join('\n')}
];
export const mistakes = [
${mistakes.map((call) => `// @ts-expect-error\n(store: api.AnimalStore) => ${call},`).join('\n')}
];
export const { AnimalStore } = api;
`;

interface Compiled {
  readonly AnimalStore: new (settings: { baseUrl: string; apiKey: string; retries: number }) => object;
  readonly uses: readonly ((store: object) => Promise<unknown>)[];
}

/** Generates a client of the document, and compiles it together with its uses and mistakes. */
export async function compiledClient(
  document: object,
  uses: readonly Use[],
  mistakes: readonly string[],
): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), 'generated-client-'));
  try {
    for (const part of ['src', 'tsconfig.json', 'package.json']) {
      await cp(join(client, part), join(folder, part), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'src/operations.ts'), clientOperations(document));
    await writeFile(join(folder, 'src/uses.ts'), program(uses, mistakes));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((failure: { stdout: string }) => {
      throw new Error(`The generated client does not compile:\n${failure.stdout}`);
    });
    return (await import(pathToFileURL(join(folder, 'dist/uses.js')).href)) as Compiled;
  } finally {
    await rm(folder, { recursive: true });
  }
}
