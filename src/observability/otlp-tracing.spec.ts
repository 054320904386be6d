import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { OtlpTracing } from './otlp-tracing.js';

// The error reaches no promise: the test fails because it is uncaught.
it('survives a collector that refuses spans before it has read them, and closes the connection', async () => {
  let refused = 0;
  const collector = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      refused++;
      socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      setTimeout(() => socket.resetAndDestroy(), 0);
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  for (let i = 0; i < 20; i++) {
    const tracing = new OtlpTracing(`http://127.0.0.1:${port}`, 'test');
    await tracing.span('large', { text: 'x'.repeat(5_000_000) }, () => Promise.resolve());
    await tracing.onApplicationShutdown();
  }
  await new Promise((resolve) => collector.close(resolve));
  expect(refused).toBe(20);
});
