// Slow readers, heads and bodies behind HAProxy take nothing from others.
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { missing, require } from '../scripts/support/programs.mjs';
import { defer, expect, isShort, runDrill } from './support/drill.mjs';
import { mixed, openLoop, succeeded, tally } from './support/load.mjs';
import { issueKey, startHaproxy, startStore } from './support/programs.mjs';

const READERS = 160;
const BYTES_PER_S = 15_000;
const OTHERS = 60;
const PER_SECOND = isShort ? 50 : 100;
const SECONDS = isShort ? 10 : 90;
const SHARE = isShort ? 99 : 99.9;

require('ip', 'iproute2');
if (process.getuid() !== 0) missing('The right to make a network namespace', 'Run it as root.');

await runDrill(async () => {
  const { name, host, clients, child } = makeLink();
  const { database, services, key, sql } = await startStore({ replicas: 2 });
  const large = "SELECT repeat('🐘', 255), n FROM generate_series(1, 100) n"; // a page of 110 KB
  await sql(`INSERT INTO pets (name, category_id) ${large}`);
  const slowKey = await issueKey(database);
  const proxy = await startHaproxy(services, host);
  const load = openLoop(PER_SECOND, mixed(proxy.origin, key));
  await delay(1_000);
  const before = load.answers.length;

  const head = `Host: x\r\nAuthorization: Bearer ${slowKey}\r\n`;
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\n${head}\r\n`;
  const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"name":"`;
  const crowds = [
    { size: READERS, first: page, drip: page, bytesPerSecond: BYTES_PER_S },
    { size: READERS, first: 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n', bytesPerSecond: BYTES_PER_S },
    { size: OTHERS, first: 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n' },
    { size: READERS, first: post, drip: 'x' },
    { size: OTHERS, first: '' },
  ];
  const port = proxy.host.split(':')[1];
  child.send(crowds.map((crowd, i) => ({ host, port, localAddress: clients[i], ...crowd })));
  await delay(SECONDS * 1_000);
  const counted = spawnSync('ip', ['netns', 'exec', name, 'ss', '-Htn', 'state', 'established'], { encoding: 'utf8' });
  const there = counted.stdout.split('\n').length - 1;
  const answers = (await load.finish()).slice(before);
  const percent = (100 * answers.filter(succeeded).length) / answers.length;
  expect(`${there} slow clients at the end, at least ${READERS}`, there >= READERS);
  expect(
    `${percent.toFixed(2)} % of ${answers.length} succeed, at least ${SHARE} %: ${tally(answers)}`,
    percent >= SHARE,
  );
});

/**
 * A network namespace, and the process of the slow clients in it. Its link has a real MTU: on loopback, the kernel takes
 * a megabyte for whom reads nothing.
 */
function makeLink() {
  const [name, here, there] = ['drill', 'dh', 'dc'].map((prefix) => `${prefix}${process.pid}`);
  const [host, ...clients] = [1, 2, 3, 4, 5, 6].map((n) => `198.18.${process.pid % 256}.${n}`); // RFC 2544
  const ip = (at, lines) => {
    const { status, stderr } = spawnSync('ip', [...at, '-batch', '-'], { input: lines.join('\n'), encoding: 'utf8' });
    if (status !== 0) missing('A network namespace', stderr);
  };
  const open = (device, addresses) => [
    `link set ${device} gso_max_segs 1 up`, // by default the kernel passes on 64 KiB at once
    ...addresses.map((address) => `address add ${address}/28 dev ${device}`),
  ];
  const make = `link add ${here} mtu 1500 type veth peer name ${there} mtu 1500 netns ${name}`;
  defer(() => spawnSync('ip', ['netns', 'delete', name]));
  ip([], [`netns add ${name}`, make, ...open(here, [host])]);
  ip(['-n', name], open(there, clients));
  const program = fileURLToPath(new URL('support/slow-process.mjs', import.meta.url));
  const child = fork(program, { execPath: 'ip', execArgv: ['netns', 'exec', name, process.execPath] });
  defer(() => child.kill('SIGKILL'));
  return { name, host, clients, child };
}
