// Slow clients behind HAProxy, over a link with a real MTU: on loopback, the kernel takes a megabyte for whom reads nothing.
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { require, missing } from '../scripts/support/programs.mjs';
import { mixed, slowest, steadyLoad, succeeded, tally } from './support/client.mjs';
import { query, startStore } from './support/database.mjs';
import { isShort, runDrill } from './support/drill.mjs';
import { issueKey, startHaproxy } from './support/programs.mjs';

const READERS = 160;
const BYTES_PER_S = 15_000;
const OTHERS = 60;
const PER_SECOND = isShort ? 50 : 100;
const SECONDS = isShort ? 10 : 90;
const SHARE = 0.999;

require('ip', 'iproute2');
if (process.getuid() !== 0) missing('The right to make network namespaces', 'Run it as root.');

await runDrill(async (drill) => {
  const link = makeLink(drill);
  const { database, services, key } = await startStore(drill, { replicas: 2 });
  const large = "SELECT repeat('🐘', 255), n FROM generate_series(1, 100) n"; // a page of 110 KB
  await query(database.url, `INSERT INTO pets (name, category_id) ${large}`);
  const slowKey = await issueKey(database.url);
  const proxy = await startHaproxy(drill, services, { host: link.address });
  const load = steadyLoad(drill, PER_SECOND, mixed(proxy.origin, key));
  await delay(1_000);
  const before = load.answers.length;

  const head = `Host: x\r\nAuthorization: Bearer ${slowKey}\r\n`;
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\n${head}\r\n`;
  const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"name":"`;
  const bundle = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  const crowds = [
    { size: READERS, first: page, drip: page, bytesPerSecond: BYTES_PER_S },
    { size: READERS, first: bundle, bytesPerSecond: BYTES_PER_S },
    { size: OTHERS, first: 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n' },
    { size: READERS, first: post, drip: 'x' },
    { size: OTHERS, first: '' },
  ];
  const [host, port] = proxy.host.split(':');
  link.start({ crowds: crowds.map((crowd, i) => ({ host, port, from: link.clients[i], ...crowd })) });
  drill.progress(`${crowds.map(({ size }) => size).join(' + ')} slow clients for ${SECONDS} s`);
  await delay(SECONDS * 1_000);
  const there = link.connections(port);
  const answers = (await load.finish()).slice(before);
  const good = answers.filter(succeeded);
  drill.figure('slow clients at the end', there);
  drill.figure('legitimate', `${answers.length}; ${tally(answers)}; slowest ${slowest(answers)} ms`);
  drill.expect('the slow clients are there', there >= READERS);
  const percent = ((100 * good.length) / answers.length).toFixed(2);
  drill.expect(`${percent} % succeed, at least ${SHARE * 100} %`, good.length >= answers.length * SHARE);
});

function makeLink(drill) {
  const [name, here, there] = ['drill', 'dh', 'dc'].map((prefix) => `${prefix}${process.pid}`);
  const base = `198.18.${process.pid % 256}`; // of the range for benchmarks, RFC 2544
  const address = `${base}.1`;
  const clients = [2, 3, 4, 5, 6].map((number) => `${base}.${number}`);
  const ip = (text) => {
    const { status, stderr } = spawnSync('ip', text.split(' '), { encoding: 'utf8' });
    if (status !== 0) missing('A network namespace', `ip ${text}: ${stderr}`);
  };
  ip(`netns add ${name}`);
  drill.defer(() => ip(`netns delete ${name}`));
  ip(`link add ${here} mtu 1500 type veth peer name ${there} mtu 1500 netns ${name}`);
  for (const [at, device, addresses] of [
    ['', here, [address]],
    [`-n ${name} `, there, clients],
  ]) {
    ip(`${at}link set ${device} gso_max_segs 1`); // by default the kernel passes on 64 KiB at once
    for (const one of addresses) ip(`${at}address add ${one}/28 dev ${device}`);
    ip(`${at}link set ${device} up`);
  }
  return {
    address,
    clients,
    start(message) {
      const execArgv = ['netns', 'exec', name, process.execPath];
      const child = fork(fileURLToPath(new URL('support/slow-process.mjs', import.meta.url)), {
        execPath: 'ip',
        execArgv,
      });
      drill.defer(() => child.kill('SIGKILL'));
      child.send(message);
    },
    connections: (port) => {
      const { stdout } = spawnSync('ss', ['-Htn', 'state', 'established', `( sport = :${port} )`], {
        encoding: 'utf8',
      });
      return clients.reduce((sum, client) => sum + stdout.split(`${client}:`).length - 1, 0);
    },
  };
}
