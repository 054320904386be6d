import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SamplesModule } from '../../scripts/template/samples.module.js';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

const root = join(import.meta.dirname, '../..');
const client = join(root, 'clients/typescript');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** A call of the template's feature, for which nobody has written a line of client. */
const FEATURE = `
  import { AnimalStore, type ErrorCode } from 'animal-store-client';
  const store = new AnimalStore({ baseUrl: process.env.BASE_URL!, apiKey: process.env.API_KEY });
  const { id } = await store.call('POST', '/samples', { body: { name: 'First' } });
  const path = { sampleId: id satisfies bigint };
  await store.call('PATCH', '/samples/{sampleId}', { path, body: { name: 'Changed' } });
  for await (const { name } of store.pages('/samples', { limit: 1 })) console.log(name.toUpperCase());
  // @ts-expect-error -- A sample has another name.
  await store.call('POST', '/samples', { body: { name: 7 } }).catch(({ code }) => console.log(code));
  console.log('sample_name_taken' satisfies ErrorCode);
`;
jest.setTimeout(180_000); // npm and tsc are slow on a busy machine

/** The gate runs this on each supported version of Node.js. */
describeInside('The package of the TypeScript client', () => {
  let service: Service;
  let folder: string;
  let project: string;
  let snippet: string;

  const run = async (cwd: string, program: string, ...args: string[]): Promise<string> => {
    // Without what npm sets for its scripts: nested npm would take it for settings.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
    const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
    const env = {
      ...Object.fromEntries(own),
      PATH,
      API_KEY: service.key,
      BASE_URL: `${service.origin}/v1`,
      NODE_OPTIONS: '',
      npm_config_update_notifier: 'false',
    };
    const { stdout } = await promisify(execFile)(program, args, { cwd, env });
    return stdout;
  };
  const OUTPUT = /^Added (\d+)\n(?:\d+ .*\n)*\1 Rex\n$/;

  beforeAll(async () => {
    service = await startService({}, undefined, [SamplesModule]);
    folder = await mkdtemp(join(tmpdir(), 'client-package-'));
    const copy = join(folder, 'clients/typescript');
    for (const part of ['src', 'tsconfig.json', 'package.json', 'README.md']) {
      await cp(join(client, part), join(copy, part), { recursive: true });
    }
    await writeFile(join(folder, 'openapi.json'), (await service.call('GET', '/openapi.json')).text);
    await run(folder, process.execPath, join(root, 'scripts/client.mjs'));
    const readme = await readFile(join(client, 'README.md'), 'utf8');
    const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    snippet = code.replace('http://localhost:3000/v1', `${service.origin}/v1`);
    const report = await run(copy, 'npm', 'pack', '--json');
    const [{ filename }] = JSON.parse(report) as [{ filename: string }];
    // It is installed offline, and so has no dependency.
    project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{}');
    await run(project, 'npm', 'install', '--offline', join(copy, filename));
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  it('runs the snippet of its README, as pasted, in an empty project', async () => {
    await writeFile(join(project, 'first.mjs'), snippet);
    expect(await run(project, process.execPath, 'first.mjs')).toMatch(OUTPUT);
  });

  it('serves strict TypeScript, as an ES module and as CommonJS, and any feature of the document', async () => {
    await symlink(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'));
    await writeFile(join(project, 'module.mts'), snippet);
    await writeFile(join(project, 'common.ts'), snippet);
    await writeFile(join(project, 'feature.mts'), FEATURE);
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    // A project of Node.js has no DOM, whose types take seconds.
    const library = ['--lib', 'es2023', '--types', 'node'];
    const options = ['--module', 'nodenext', '--target', 'es2023', ...library, ...strict];
    await run(project, process.execPath, tsc, ...options, 'module.mts', 'common.ts', 'feature.mts');
    for (const file of ['module.mjs', 'common.js']) {
      expect(await run(project, process.execPath, file)).toMatch(OUTPUT);
    }
    expect(await run(project, process.execPath, 'feature.mjs')).toBe('CHANGED\ninvalid_field\nsample_name_taken\n');
  });
});
