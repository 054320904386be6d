import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { readJsonBody } from './json-body.js';

it('A body in small chunks is copied, since each of them takes hundreds of bytes', async () => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  const body = readJsonBody(request);
  for (const byte of Buffer.from('{"name":"Rex"}')) {
    const chunk = Buffer.from([byte]);
    request.emit('data', chunk);
    chunk.fill(0); // would show if it were kept
  }
  request.emit('end');
  expect(await body).toEqual({ name: 'Rex' });
});
