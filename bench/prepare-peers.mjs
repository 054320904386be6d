import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { root } from '../scripts/support/root.mjs';
import { runChild } from '../scripts/support/run-child.mjs';
import { isThere } from '../scripts/support/tool.mjs';
import { CONTESTANTS, peers } from './contestants.mjs';

const lockFile = join(peers, 'package-lock.json');
const stamp = join(peers, 'node_modules', '.installed-from');

/** Installs the peers' dependencies and builds the peers; returns the contestants that this machine can run. */
export async function preparePeers(bench) {
  if (readOrNull(stamp) !== readOrNull(lockFile)) await install(bench);
  compile(join(peers, 'express'));
  const leftOut = CONTESTANTS.filter(({ toolchain }) => toolchain && !isThere(toolchain));
  for (const { title, toolchain } of leftOut)
    bench.figure(`${title}, left out`, `${toolchain} is not installed`);
  const contestants = CONTESTANTS.filter((contestant) => !leftOut.includes(contestant));
  for (const contestant of contestants.filter(({ toolchain }) => toolchain)) await build(bench, contestant);
  return contestants;
}

async function build(bench, { name, title, toolchain, build: args }) {
  bench.progress(`building ${title} (${toolchain} ${args.join(' ')})`);
  const options = { cwd: join(peers, name), stdio: ['ignore', 'pipe', 'pipe'] };
  const { code, output } = await runChild(toolchain, args, options);
  if (code !== 0) throw new Error(`Building bench/peers/${name} failed:\n${output}`);
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
