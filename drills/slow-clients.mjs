// Slow clients behind HAProxy, over a link with a real MTU: on loopback, the kernel takes a megabyte for whom reads nothing.
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { missing, require } from '../scripts/support/programs.mjs';
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
if (process.getuid() !== 0) missing('The right to make a network namespace', 'Run it as root.');

await runDrill(async (drill) => {
  const link = makeLink(drill);
  const { database, services, key } = await startStore(drill, { replicas: 2 });
  const large = "SELECT repeat('🐘', 255), n FROM generate_series(1, 100) n"; // a page of 110 KB
  await query(database.url, `INSERT INTO pets (name, category_id) ${large}`);
  const slowKey = await issueKey(database.url);
  const proxy = await startHaproxy(drill, services, { host: link.host });
  const load = steadyLoad(drill, PER_SECOND, mixed(proxy.origin, key));
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
  const [host, port] = proxy.host.split(':');
  const { child, name } = link;
  child.send({ crowds: crowds.map((crowd, i) => ({ host, port, from: link.clients[i], ...crowd })) });
  drill.progress(`${crowds.map(({ size }) => size).join(' + ')} slow clients for ${SECONDS} s`);
  await delay(SECONDS * 1_000);
  const { stdout } = spawnSync('ip', ['netns', 'exec', name, 'ss', '-Htn', 'state', 'established'], {
    encoding: 'utf8',
  });
  const there = stdout.split('\n').length - 1;
  const answers = (await load.finish()).slice(before);
  const percent = (100 * answers.filter(succeeded).length) / answers.length;
  drill.figure('legitimate', `${answers.length}; ${tally(answers)}; slowest ${slowest(answers)} ms`);
  drill.expect(`${there} slow clients at the end`, there >= READERS);
  drill.expect(`${percent.toFixed(2)} % succeed, at least ${SHARE * 100} %`, percent >= SHARE * 100);
});

/** A network namespace, and the process of the slow clients in it. */
function makeLink(drill) {
  const [name, here, there] = ['drill', 'dh', 'dc'].map((prefix) => `${prefix}${process.pid}`);
  const [host, ...clients] = [1, 2, 3, 4, 5, 6].map((n) => `198.18.${process.pid % 256}.${n}`); // RFC 2544
  const ip = (...args) => {
    const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
    if (status !== 0) missing('A network namespace', `ip ${args.join(' ')}: ${stderr}`);
  };
  ip('netns', 'add', name);
  drill.defer(() => ip('netns', 'delete', name));
  ip('link', 'add', here, 'mtu', '1500', 'type', 'veth', 'peer', 'name', there, 'mtu', '1500', 'netns', name);
  const bringUp = (at, device, addresses) => {
    ip(...at, 'link', 'set', device, 'gso_max_segs', '1'); // by default the kernel passes on 64 KiB at once
    for (const address of addresses) ip(...at, 'address', 'add', `${address}/28`, 'dev', device);
    ip(...at, 'link', 'set', device, 'up');
  };
  bringUp([], here, [host]);
  bringUp(['-n', name], there, clients);
  const program = fileURLToPath(new URL('support/slow-process.mjs', import.meta.url));
  const child = fork(program, { execPath: 'ip', execArgv: ['netns', 'exec', name, process.execPath] });
  drill.defer(() => child.kill('SIGKILL'));
  return { name, host, clients, child };
}
