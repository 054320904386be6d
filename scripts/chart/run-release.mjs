import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/free-port.mjs';
import { root } from '../support/root.mjs';
import { chart, render } from './render.mjs';

const READY_MS = 60_000;
/** As in docker/Dockerfile, where the chart has no other. */
const COMMAND = ['node', '--enable-source-maps', 'dist/main.js'];

/**
 * Runs the processes of a release with the commands, the environment, the secrets and the probes of the chart: the Job
 * that issues a key, on an empty database, and a replica. Only addresses, ports and folders are this machine's.
 */
export async function runRelease(databaseUrl) {
  const { objects } = render(
    `--values=${join(chart, 'ci', 'smallest.yaml')}`,
    '--set=settings.KEY_ENVIRONMENT=test,settings.SHUTDOWN_DRAIN_MS=1000',
    '--set=keys.arguments={issue,--name,chart,--quiet}',
  );
  const podOf = (kind) => objects.find((object) => object.kind === kind).spec.template.spec;
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-pod-'));
  try {
    const [program, args, options] = processOf(podOf('Job'), folder, databaseUrl);
    const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
    assert.equal(status, 0, `The Job failed:\n${stderr}`);
    await runReplica(podOf('Deployment'), folder, databaseUrl, { authorization: `Bearer ${stdout.trim()}` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runReplica(pod, folder, databaseUrl, headers) {
  const ports = { http: await freePort(), metrics: await freePort() };
  const here = {
    HOST: '127.0.0.1',
    PORT: String(ports.http),
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: String(ports.metrics),
  };
  const child = spawn(...processOf(pod, folder, databaseUrl, here));
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const statusOf = async ({ port, path }) => {
    const answer = await fetch(`http://127.0.0.1:${ports[port]}${path}`, { headers }).catch(() => undefined);
    return answer?.status;
  };
  const [{ livenessProbe, readinessProbe }] = pod.containers;
  const list = { port: 'http', path: '/v1/pets' };
  try {
    const patience = performance.now() + READY_MS;
    while ((await statusOf(readinessProbe.httpGet)) !== 200) {
      assert(child.exitCode === null && performance.now() < patience, `The replica is not ready:\n${output}`);
      await delay(100);
    }
    assert.equal(await statusOf(livenessProbe.httpGet), 200, 'The replica is not alive');
    assert.equal(await statusOf({ port: 'metrics', path: '/metrics' }), 200, 'The metrics are not served');
    assert.equal(await statusOf(list), 200, 'The key of the Job does not work');

    child.kill('SIGTERM');
    const began = performance.now();
    while ((await statusOf(readinessProbe.httpGet)) === 200) await delay(10);
    assert.equal(await statusOf(list), 200, 'A draining replica does not answer');
    assert.deepEqual(await exited, [0, null], 'The replica ended with an error');
    const seconds = (performance.now() - began) / 1_000;
    assert(seconds < pod.terminationGracePeriodSeconds, `The replica took ${seconds} s to end`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The arguments of `spawn`. Of this process's variables, the pod's process gets none but PATH. */
function processOf({ containers: [container], volumes }, folder, databaseUrl, here = {}) {
  const { command = COMMAND, args = [], env, volumeMounts } = container;
  const { mountPath } = volumeMounts.find(({ name }) => name === 'secrets');
  const { sources } = volumes.find(({ name }) => name === 'secrets').projected;
  mkdirSync(join(folder, mountPath), { recursive: true });
  for (const { secret } of sources) {
    for (const { path } of secret.items) writeFileSync(join(folder, mountPath, path), databaseUrl);
  }
  const moved = env.map(({ name, value }) => [
    name,
    value.startsWith(mountPath) ? join(folder, value) : value,
  ]);
  const [program, ...more] = [...command, ...args].map((part) =>
    part.startsWith('dist/') ? join(root, part) : part,
  );
  return [
    program,
    more,
    { cwd: folder, env: { PATH: process.env.PATH, ...Object.fromEntries(moved), ...here } },
  ];
}
