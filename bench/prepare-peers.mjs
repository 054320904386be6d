import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { root } from '../scripts/support/root.mjs';
import { runChild } from '../scripts/support/run-child.mjs';

const peers = join(root, 'bench', 'peers');
const lockFile = join(peers, 'package-lock.json');
const stamp = join(peers, 'node_modules', '.installed-from');

/** Installs the peers' dependencies, and compiles the peer written in TypeScript. */
export async function preparePeers(bench) {
  if (readOrNull(stamp) !== readOrNull(lockFile)) await install(bench);
  compile(join(peers, 'express'));
}

async function install(bench) {
  bench.progress('installing the peers (npm ci --prefix bench/peers)');
  const args = ['ci', '--prefix', peers, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runChild('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  if (code !== 0) throw new Error(`Installing the peers failed:\n${output}`);
  writeFileSync(stamp, readFileSync(lockFile));
}

function compile(folder) {
  const out = join(folder, 'dist');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const { code } = transformFileSync(join(folder, file), {
      swcrc: false,
      module: { type: 'es6' },
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      },
    });
    writeFileSync(join(out, file.replace(/\.ts$/, '.js')), code);
  }
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
