import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Requires a program; installs its package when run as root on Debian. */
export function requireTool(drill, program, debianPackage = program) {
  if (isThere(program)) return;
  if (mayInstall()) drill.progress(`installing ${program} (apt-get install ${debianPackage})`);
  installPackages(debianPackage);
  if (!isThere(program)) {
    throw new Error(
      `${program} is not installed. On Debian and Ubuntu: sudo apt-get install ${debianPackage}`,
    );
  }
}

/** Does nothing but as root on Debian; whether it succeeded shows in what is there afterwards. */
export function installPackages(...packages) {
  if (!mayInstall()) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: 'ignore', timeout: 300_000 };
  spawnSync('apt-get', ['-qq', 'update'], options);
  withoutStarting(() =>
    spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...packages], options),
  );
}

const mayInstall = () => process.getuid() === 0 && existsSync('/usr/bin/apt-get');

/** Keeps a Debian package from starting its server, unless the machine has its own policy. */
function withoutStarting(install) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    if (ours) rmSync(policy);
  }
}

export const isThere = (program) => spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
