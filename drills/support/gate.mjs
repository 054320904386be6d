import { createServer, connect } from 'node:net';
import { once } from 'node:events';

/** An address that leads to a server: `hold` keeps back everything, `lead` breaks the connections and leads elsewhere. */
export async function openGate(drill, target) {
  const pairs = new Set();
  let [port, isHeld] = [target, false];
  const gate = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const pair = [client, server];
    pairs.add(pair);
    client.on('close', () => pairs.delete(pair));
    for (const [from, to] of [pair, pair.toReversed()]) {
      from.on('data', (bytes) => to.write(bytes)).on('close', () => to.destroy());
      from.on('error', () => to.destroy());
      if (isHeld) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const end = () => [...pairs].flat().forEach((socket) => socket.destroy());
  drill.defer(() => (end(), gate.close()));
  return {
    port: gate.address().port,
    hold(should) {
      isHeld = should;
      for (const socket of [...pairs].flat()) socket[should ? 'pause' : 'resume']();
    },
    lead(to) {
      port = to;
      end();
    },
  };
}
