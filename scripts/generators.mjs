// `npm run generators` makes clients of openapi.json with tools of others, compiles them, and runs the programs of docs/callers
// with them, against the built service. `npm run generators -- ogen` does one alone. Tools are installed the first time.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { argumentsOf, giveUp, installOnce, missing, pythonProgram, root, say } from './support/programs.mjs';
import { startService } from './support/service.mjs';

const PACKAGES = [
  '@apidevtools/swagger-parser@13.1.0 openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.95.0',
  'zod@4.6.7 lossless-json@4.3.3 typescript@5.9.3 @types/node@20.19.43',
].join(' ');
const npm = () =>
  installOnce('tsc', hash('md5', PACKAGES), `npm install --prefix . ${PACKAGES} && ln -s node_modules/.bin bin`);
const go = (path, version) =>
  installOnce(path.split('/').at(-1), version, `GOBIN=$PWD/bin go install ${path}@${version}`);
const TSC = 'tsc --strict --target es2022 --module nodenext --types node';
const PARSER = "(await import('@apidevtools/swagger-parser')).default";

/** How each is installed, and the commands that have to succeed then. */
const TOOLS = {
  'swagger-parser': [npm, `node --input-type=module -e "await ${PARSER}.validate('openapi.json')"`],
  'openapi-fetch': [
    npm,
    'openapi-typescript openapi.json -o api.ts',
    `${TSC} openapi-fetch.ts`,
    'node openapi-fetch.js | check',
  ],
  'hey-api': [npm, 'openapi-ts', `${TSC} hey-api.ts`, 'node hey-api.js | check'],
  'openapi-python-client': [
    () => pythonProgram('openapi-python-client', '0.29.1'),
    'openapi-python-client generate --path openapi.json --meta none --output-path api',
    'python openapi-python-client.py | check',
  ],
  'oapi-codegen': [
    () => go('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', 'v2.8.2'),
    'oapi-codegen -package main -generate types,client -o api.go openapi.json',
    'go mod init caller && go get github.com/oapi-codegen/runtime@v1.9.0',
    'go run oapi-codegen.go api.go | check',
  ],
  ogen: [
    () => go('github.com/ogen-go/ogen/cmd/ogen', 'v1.25.0'),
    'ogen --target api --package api openapi.json',
    'go mod init caller && go get github.com/ogen-go/ogen@v1.25.0',
    'go run ogen.go | check',
  ],
};
/** All callers print the same. */
const EXPECTED = '9007199254740993 invalid_parameter 2 not_found true';
const CHECK = `check() { printed=$(cat); echo "$printed"; echo "$printed" | grep -iqx '${EXPECTED}'; }`;

const { positionals } = argumentsOf(`The tools are ${Object.keys(TOOLS).join(', ')}.`, { allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(TOOLS);
const { origin, key, stop } = await startService();
const results = names.map((name) => {
  const started = performance.now();
  const [install, ...commands] = TOOLS[name];
  const program = install();
  const result = program ? attempt(commands, dirname(program)) : 'NOT INSTALLED';
  return { name, result, seconds: Math.round((performance.now() - started) / 1_000) };
});
await stop();
for (const { name, result, seconds } of results) say(`${name.padEnd(22)} ${`${seconds}`.padStart(3)} s  ${result}`);
if (results.some(({ result }) => result === 'FAILED')) giveUp('Their output is above.');
const absent = results.filter(({ result }) => result === 'NOT INSTALLED').map(({ name }) => name);
if (absent.length > 0) missing(absent.join(', '), 'It takes npm, Python 3 with venv, and Go, and their registries.');

/** Runs the commands in a folder of their own. */
function attempt(commands, bin) {
  const cwd = mkdtempSync(join(tmpdir(), 'generators-'));
  cpSync(join(root, 'docs/callers'), cwd, { recursive: true });
  cpSync(join(root, 'openapi.json'), join(cwd, 'openapi.json'));
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(bin, '../node_modules'), join(cwd, 'node_modules'));
  const PATH = `${bin}:${process.env.PATH}`;
  const env = { ...process.env, PATH, GOFLAGS: '-mod=mod', BASE: `${origin}/v1`, KEY: key };
  const shell = ['-ec', [CHECK, ...commands].join('\n')];
  const { status, stdout, stderr } = spawnSync('sh', shell, { cwd, env, encoding: 'utf8' });
  rmSync(cwd, { recursive: true });
  if (status !== 0) say(stdout + stderr);
  return status === 0 ? 'passed' : 'FAILED';
}
