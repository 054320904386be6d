import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { OtlpTracing } from './otlp-tracing.js';

it('sends the attributes of the environment', async () => {
  let sent = '';
  const collector = createHttpServer((request, response) => {
    request.setEncoding('utf8').on('data', (part) => (sent += part));
    request.on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'deployment.environment.name=staging,service.name=other';
  try {
    const tracing = new OtlpTracing(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`, 'test');
    await tracing.span('one', {}, () => Promise.resolve());
    await tracing.onApplicationShutdown();
  } finally {
    delete process.env['OTEL_RESOURCE_ATTRIBUTES'];
    collector.close();
  }
  const [resource] = (JSON.parse(sent) as { resourceSpans: { resource: { attributes: unknown } }[] })
    .resourceSpans;
  expect(resource?.resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'test' } },
    { key: 'deployment.environment.name', value: { stringValue: 'staging' } },
  ]);
});

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
