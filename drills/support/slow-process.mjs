// Slow clients, in a network namespace: crowds of connections that send, drip or read slowly, and come back when cut off.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const DRIP_MS = 1_000;
const SIP_MS = 100;

process.on('message', (crowds) => {
  for (const { size, ...client } of crowds) for (let i = 0; i < size; i++) void visit(client);
});

async function visit({ first, drip, bytesPerSecond, ...address }) {
  for (await delay(Math.random() * 1_000); ; await delay(1_000 + Math.random() * 2_000)) {
    const buffer = Buffer.alloc(((bytesPerSecond ?? 0) * SIP_MS) / 1_000);
    const sip = () => (setTimeout(() => socket.resume(), SIP_MS), false);
    const socket = connect({ ...address, onread: bytesPerSecond && { buffer, callback: sip } });
    if (!bytesPerSecond) socket.resume();
    socket.on('error', () => {}).write(first);
    const timer = drip && setInterval(() => socket.write(drip), DRIP_MS);
    await new Promise((resolve) => void socket.on('close', resolve));
    clearInterval(timer);
  }
}
