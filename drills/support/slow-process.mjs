// Slow clients, in a network namespace: crowds of connections that send, drip or read slowly, and come back when cut off.
import { connect } from 'node:net';

const DRIP_MS = 1_000;
const SIP_MS = 100;

process.on('message', ({ crowds }) => crowds.forEach(start));

function start({ size, ...client }) {
  for (let i = 0; i < size; i++) setTimeout(() => come(client), Math.random() * 1_000);
}

function come(client) {
  const { host, port, from, first, drip, bytesPerSecond } = client;
  const sip = (bytesPerSecond * SIP_MS) / 1_000;
  const onread = bytesPerSecond && {
    buffer: Buffer.alloc(sip),
    callback: () => (setTimeout(() => socket.resume(), SIP_MS), false),
  };
  const socket = connect({ host, port, localAddress: from, onread });
  let timer;
  socket.on('connect', () => {
    socket.write(first);
    if (drip) timer = setInterval(() => socket.write(drip), DRIP_MS);
  });
  if (!bytesPerSecond) socket.resume();
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(timer);
    setTimeout(() => come(client), 1_000 + Math.random() * 2_000);
  });
}
