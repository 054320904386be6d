import { connect } from 'node:net';

const SIP_BYTES = 4_096;
const EVERY_MS = 1_000;

/** A connection that sends `text` at once and reads a few bytes a second. */
export function trickle(drill, origin, text) {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
  // Without a `data` listener, bytes stay in the kernel until they are read.
  const timer = setInterval(() => socket.read(Math.min(SIP_BYTES, socket.readableLength || 1)), EVERY_MS);
  socket.on('error', () => {}).on('close', () => clearInterval(timer));
  drill.defer(() => socket.destroy());
  return socket;
}
