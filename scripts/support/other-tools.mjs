// Programs of other ecosystems that checks need: the installed one or else, once, this exact version of it in the cache
// of this account.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { giveUp, say } from './say.mjs';
import { isThere } from './tool.mjs';

export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store');

/** Builds a program with Go: `goTool('helm', 'helm.sh/helm/v4/cmd/helm', 'v4.3.1')`. */
export function goTool(name, path, version) {
  if (isThere(name)) return name;
  const folder = join(cache, `${name}-${version}`);
  const build = ['go', ['install', `${path}@${version}`], { GOBIN: folder }];
  return kept(join(folder, name), folder, 'Install it, or Go, which builds it.', [build]);
}

/** Installs a program from the Python package of its name. */
export function pythonTool(name, version) {
  if (isThere(name)) return name;
  const folder = join(cache, `${name}-${version}`);
  return kept(
    join(folder, 'bin', name),
    folder,
    'Install Python 3 with venv, which installs it. On Debian and Ubuntu: sudo apt-get install python3-venv',
    [
      ['python3', ['-m', 'venv', folder]],
      [join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`]],
    ],
  );
}

function kept(program, folder, advice, commands) {
  if (existsSync(program)) return program;
  for (const [command, args, env] of commands) {
    say(`Once, for a few minutes at most: ${command} ${args.join(' ')} …`);
    const ended = spawnSync(command, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
    if (ended.status === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    giveUp(
      `${ended.stderr ?? ''}${program} could not be installed (${ended.error?.code ?? ended.status}). ${advice}`,
    );
  }
  return program;
}
