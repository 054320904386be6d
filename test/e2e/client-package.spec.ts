import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

const root = join(import.meta.dirname, '../..');
const client = join(root, 'clients/typescript');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** npm and tsc are slow on a busy machine. */
const PATIENCE_MS = 180_000;

/** The gate runs this on each supported version of Node.js. */
describeInside('The package of the TypeScript client', () => {
  let service: Service;
  let folder: string;
  let packed: string;
  let snippet: string;

  const run = async (cwd: string, program: string, ...args: string[]): Promise<string> => {
    // Without what npm sets for its scripts: nested npm would take it for settings.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
    const env = {
      ...Object.fromEntries(own),
      PATH,
      API_KEY: service.key,
      NODE_OPTIONS: '',
      npm_config_update_notifier: 'false',
    };
    const { stdout } = await promisify(execFile)(program, args, { cwd, env });
    return stdout;
  };
  /** An empty project with the client. It is installed offline, and so has no dependency. */
  const projectWith = async (name: string, from: string): Promise<string> => {
    const project = join(folder, name);
    await mkdir(project);
    await run(project, 'npm', 'init', '-y');
    await run(project, 'npm', 'install', '--offline', from);
    return project;
  };
  const OUTPUT = /^Added (\d+)\n(?:\d+ .*\n)*\1 Rex\n$/;

  beforeAll(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    for (const part of ['src', 'tsconfig.json', 'package.json', 'README.md']) {
      await cp(join(client, part), join(folder, 'client', part), { recursive: true });
    }
    const readme = await readFile(join(client, 'README.md'), 'utf8');
    const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    snippet = code.replace('http://localhost:3000/v1', `${service.origin}/v1`);
    const report = await run(join(folder, 'client'), 'npm', 'pack', '--json');
    const [{ filename }] = JSON.parse(report) as [{ filename: string }];
    packed = await projectWith('packed', join(folder, 'client', filename));
  }, PATIENCE_MS);
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  it(
    'runs the snippet of its README, as pasted, in an empty project',
    async () => {
      await writeFile(join(packed, 'first.mjs'), snippet);
      expect(await run(packed, process.execPath, 'first.mjs')).toMatch(OUTPUT);
    },
    PATIENCE_MS,
  );

  it(
    'serves strict TypeScript, as an ES module and as CommonJS',
    async () => {
      await symlink(join(root, 'node_modules/@types'), join(packed, 'node_modules/@types'));
      await writeFile(join(packed, 'module.mts'), snippet);
      await writeFile(join(packed, 'common.ts'), snippet);
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
      const options = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', ...strict];
      await run(packed, process.execPath, tsc, ...options, 'module.mts', 'common.ts');
      for (const file of ['module.mjs', 'common.js']) {
        expect(await run(packed, process.execPath, file)).toMatch(OUTPUT);
      }
    },
    PATIENCE_MS,
  );

  it(
    'is built when its folder is installed',
    async () => {
      await rm(join(folder, 'client/dist'), { recursive: true });
      const linked = await projectWith('linked', join(folder, 'client'));
      await writeFile(join(linked, 'first.mjs'), snippet);
      expect(await run(linked, process.execPath, 'first.mjs')).toMatch(OUTPUT);
    },
    PATIENCE_MS,
  );
});
