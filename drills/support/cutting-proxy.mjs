import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A TCP proxy that cuts a share of its connections in the middle of an answer. */
export async function startCuttingProxy(drill, origin, share) {
  const { hostname, port } = new URL(origin);
  const proxy = { origin: '', cuts: 0 };
  const open = new Set();
  const server = createServer((client) => {
    const service = connect({ host: hostname, port: Number(port), noDelay: true });
    const close = () => {
      client.destroy();
      service.destroy();
      open.delete(close);
    };
    open.add(close);
    for (const socket of [client, service]) socket.on('error', close).on('close', close);
    client.on('data', (bytes) => service.write(bytes));
    service.on('data', (bytes) => {
      if (Math.random() >= share) {
        client.write(bytes);
        return;
      }
      proxy.cuts++;
      client.end(bytes.subarray(0, Math.floor(Math.random() * bytes.length)));
      service.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  drill.defer(() => {
    server.close();
    for (const close of open) close();
  });
  return Object.assign(proxy, { origin: `http://127.0.0.1:${server.address().port}` });
}
