// Programs that scripts start, and where they come from.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** The exit code for "a program that this needs is not installed" (EX_UNAVAILABLE of sysexits.h). */
const UNAVAILABLE = 69;

/** Writes to stderr: stdout belongs to the command that is run. */
export const say = (text) => process.stderr.write(`${text}\n`);

export function giveUp(text, code = 1) {
  say(text);
  process.exit(code);
}

export function require(program, debianPackage) {
  if (isInstalled(program)) return program;
  return missing(program, `On Debian and Ubuntu: sudo apt-get install ${debianPackage}`);
}

export const isInstalled = (program) => spawnSync('which', [program], { stdio: 'ignore' }).status === 0;

export const missing = (program, advice) => giveUp(`${program} is not installed. ${advice}`, UNAVAILABLE);

/** Runs a command to its end, passes signals on to it, and returns its exit code. */
export async function run(command, args, env = process.env) {
  const child = spawn(command, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve((say(message), 127)));
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** The options and words after the script, as parseArgs reads them. */
export function argumentsOf(usage, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return giveUp(`${error.message}\n${usage}`);
  }
}

/** A program of PyPI in an environment of its own: `pythonProgram('schemathesis', '4.32.5')`. Undefined without Python. */
export function pythonProgram(name, version) {
  return installOnce(name, version, `python3 -m venv . && bin/pip install --quiet ${name}==${version}`);
}

/** A program in the cache of the user, or undefined where `command` cannot put it into `bin` of the current folder. */
export function installOnce(name, version, command) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'animal-store', `${name}-${version}`);
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  say(`Installing ${name} ${version} in ${folder}, once …`);
  mkdirSync(folder, { recursive: true });
  if (spawnSync('sh', ['-c', command], { cwd: folder, stdio: ['ignore', 2, 2] }).status === 0) return program;
  rmSync(folder, { recursive: true });
  return undefined;
}
