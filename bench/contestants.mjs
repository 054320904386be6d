import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { transformFileSync } from '@swc/core';
import { freePort } from '../scripts/support/free-port.mjs';
import { root, say } from '../scripts/support/programs.mjs';
import { pinned } from './processes.mjs';

const peers = join(root, 'bench', 'peers');
const START_MS = 60_000;
const NODE_ENV = 'production';

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** As in production, with the log, limits and metrics; the limit is out of reach. */
const SETTINGS = {
  NODE_ENV,
  HOST: '127.0.0.1',
  KEY_ENVIRONMENT: 'test',
  RATE_LIMIT_PER_KEY: '100000000',
  SHUTDOWN_DRAIN_MS: '0',
};

const node = (...path) => [process.execPath, join(...path)];
const service = (name, main = join(root, 'dist', 'main.js')) => {
  return { name, command: node(main), env: SETTINGS, readyPath: '/health/ready' };
};
const SERVICE = service('service');
const FASTIFY = ['plugins', 'by hand', 'pipelines'].map((name) => {
  return { name, command: node(peers, 'fastify', 'main.mjs'), env: { NODE_ENV, PEER: name } };
});
const GO = { name: 'Go', command: [join(peers, 'go', 'dist', 'peer')], env: { GOMAXPROCS: '1' } };
const EXPRESS = { name: 'by default', command: node(peers, 'express', 'dist', 'main.mjs'), env: { NODE_ENV } };

/** Those that this machine can run, built; the first is the service. */
export function prepareContestants({ quick, flat, against }) {
  if (flat) return [SERVICE, { ...service('service, many rows'), hasMany: true }];
  if (against) return [SERVICE, service('against', resolve(against)), service('control')];
  install('fastify');
  return [SERVICE, ...FASTIFY, ...buildGo(), ...(quick ? [] : buildExpress()), service('control')];
}

function buildGo() {
  const options = { cwd: join(peers, 'go'), stdio: 'inherit' };
  const { error, status } = spawnSync('go', ['build', '-o', 'dist/peer', '.'], options);
  if (error) say('Go is not installed: its peer is left out.');
  else if (status !== 0) throw new Error('The peer in Go cannot be built.');
  return error ? [] : [GO];
}

/** What a peer needs beside the packages of the service. */
function install(peer) {
  const args = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  const folder = join(peers, peer);
  if (!existsSync(join(folder, 'node_modules'))) execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  return folder;
}

function buildExpress() {
  const folder = install('express');
  const { code } = transformFileSync(join(folder, 'main.ts'), { configFile: join(root, '.swcrc') });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'dist', 'main.mjs'), code);
  return [EXPRESS];
}

/** Resolves when it is ready. Its log goes to /dev/null, so writing it counts. */
export async function start({ name, command, env, readyPath = '/v1/pets' }, { url, key }) {
  const port = await freePort();
  const settings = { ...process.env, ...env, DATABASE_URL: url, PORT: String(port) };
  const [program, ...args] = pinned('application', command);
  const began = performance.now();
  const child = spawn(program, args, { cwd: root, env: settings, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  children.add(child);
  const origin = `http://127.0.0.1:${port}`;
  for (const end = began + START_MS; !(await isReady(origin + readyPath, key)); await pause(10)) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`${name} did not start.`);
  }
  const startMs = performance.now() - began;
  const stop = async () => {
    child.kill();
    children.delete(child);
    await exited;
  };
  return { origin, pid: child.pid, startMs, stop };
}

async function isReady(target, key) {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' };
  const answer = await fetch(target, { headers }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok;
}
