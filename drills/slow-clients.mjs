// Slow readers, heads and bodies behind HAProxy take nothing from others.
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { missing, run } from '../scripts/support/programs.mjs';
import { expect, isShort, runDrill, tell } from './support/drill.mjs';
import { mixed, openLoop, succeeded, tally } from './support/load.mjs';
import { issueKey, startHaproxy, startStore } from './support/programs.mjs';

const READERS = 160;
const BYTES_PER_S = 15_000;
const SIP_MS = 100;
const DRIP_MS = 1_000;
const OTHERS = 60;
const PER_SECOND = isShort ? 50 : 100;
const SECONDS = isShort ? 10 : 90;
const SHARE = isShort ? 90 : 99.9; // the few of the short form also suffer from others who use the machine

await enterNetwork();
const present = new Set();

await runDrill(async () => {
  const { database, services, key, sql } = await startStore({ replicas: 2 });
  const large = "SELECT repeat('🐘', 255), n FROM generate_series(1, 100) n"; // a page of 110 KB
  await sql(`INSERT INTO pets (name, category_id) ${large}`);
  const slowKey = await issueKey(database);
  const proxy = await startHaproxy(services, {}); // with its own limits

  const head = `Host: x\r\nAuthorization: Bearer ${slowKey}\r\n`;
  const page = `GET /v1/pets?limit=100 HTTP/1.1\r\n${head}\r\n`;
  const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"name":"`;
  const crowds = [
    { size: READERS, first: page.repeat(8), drip: page, isReader: true }, // the kernel takes six
    { size: READERS, first: 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n', isReader: true },
    { size: OTHERS, first: 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n' },
    { size: READERS, first: post, drip: 'x' },
    { size: OTHERS, first: '' },
  ];
  const port = proxy.host.split(':')[1];
  const load = openLoop(PER_SECOND, mixed(proxy.origin, key));
  for (const [i, { size, ...client }] of crowds.entries())
    for (let n = 0; n < size; n++) void visit({ ...client, port, localAddress: `127.0.0.${i + 2}` });
  await delay(SECONDS * 1_000);
  const answers = await load.finish();
  const percent = (100 * answers.filter(succeeded).length) / answers.length;
  expect(`${present.size} slow readers at the end, at least ${READERS}`, present.size >= READERS);
  tell(tally(answers));
  expect(`${percent.toFixed(2)} % of ${answers.length} succeed, at least ${SHARE} %`, percent >= SHARE);
});

/** Runs this file once more, where loopback has a real MTU: with the usual 64 KiB, the kernel takes 4 MB for a slow reader. */
async function enterNetwork() {
  if (process.env.DRILL_NETWORK === 'own') return;
  const link = 'ip link set lo mtu 1500 up';
  if (spawnSync('unshare', ['--net', 'sh', '-c', link]).status !== 0)
    missing('A network namespace', 'It takes iproute2 and the rights of root.');
  const again = ['--net', 'sh', '-c', `${link} && exec "$0" "$@"`, process.execPath, ...process.argv.slice(1)];
  process.exit(await run('unshare', again, { ...process.env, DRILL_NETWORK: 'own' }));
}

/** One slow client, which comes back when it is cut off. */
async function visit({ first, drip, isReader, ...address }) {
  for (await delay(Math.random() * 1_000); ; await delay(1_000 + Math.random() * 2_000)) {
    const sip = () => (setTimeout(() => socket.resume(), SIP_MS), false);
    const onread = isReader && { buffer: Buffer.alloc((BYTES_PER_S * SIP_MS) / 1_000), callback: sip };
    const socket = connect({ ...address, host: '127.0.0.1', onread });
    if (!isReader) socket.resume();
    socket.on('connect', () => isReader && present.add(socket)).on('error', () => {});
    socket.write(first);
    const timer = drip && setInterval(() => socket.write(drip), DRIP_MS);
    await new Promise((resolve) => void socket.on('close', resolve));
    present.delete(socket);
    clearInterval(timer);
  }
}
