import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SECURITY_HEADERS } from '../../src/edge/security-headers.js';
import { freePort } from '../../scripts/support/free-port.mjs';
import { describeProxy, type Proxy, startProxy } from './support/proxy.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

const ORIGIN = 'https://pets.example.com';
const HSTS = { 'strict-transport-security': 'max-age=31536000' };

describeProxy('The proxy with a certificate (needs HAProxy)', () => {
  let folder: string;
  let certificate: string;
  let service: Service;
  let proxy: Proxy;
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-spec-'));
    const file = join(folder, 'certificate.pem');
    const options =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', file, '-out', `${file}.crt`];
    execFileSync('openssl', [...options.split(' '), ...names], { stdio: 'ignore' });
    certificate = await readFile(`${file}.crt`, 'utf8');
    execFileSync('sh', ['-c', 'cat "$1.crt" >> "$1"', 'sh', file]);
    service = await startService({ rateLimitFailures: 1, trustedProxies: ['127.0.0.1'] });
    port = await freePort();
    proxy = await startProxy(service.origin, {
      HAPROXY_HTTPS: `127.0.0.1:${port}`,
      HAPROXY_CERTIFICATE: file,
      HAPROXY_ORIGIN: ORIGIN,
    });
  }, 60_000);

  afterAll(async () => {
    await proxy?.stop();
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  const get = async (path: string, headers: Record<string, string>, localAddress = '127.0.0.1') => {
    const options = { host: '127.0.0.1', port, path, headers, localAddress, ca: certificate, agent: false };
    const [answer] = (await once(request(options).end(), 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  const withKey = () => ({ authorization: `Bearer ${service.key}` });

  it('serves the interface, and tells browsers to stay with HTTPS', async () => {
    const answer = await get('/v1/pets', withKey());
    expect(answer).toMatchObject({ status: 200, headers: HSTS, body: '[]' });
  });

  it('says so in its own answers, too', async () => {
    const answer = await get(`/v1/pets?${'x'.repeat(17_000)}`, withKey());
    expect(answer).toMatchObject({ status: 414, headers: { ...HSTS, ...SECURITY_HEADERS } });
  });

  it('speaks HTTP/1.1 only', async () => {
    const socket = connect({ host: '127.0.0.1', port, ca: certificate, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
    socket.destroy();
  });

  it('speaks TLS 1.2 only, with elliptic curves', async () => {
    const socket = connect({ host: '127.0.0.1', port, ca: certificate });
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.2');
    expect(socket.getCipher().name).toMatch(/^ECDHE-/);
    socket.destroy();
    const ciphers = 'ECDHE-ECDSA-AES128-SHA256'; // one of OpenSSL's own list
    const other = connect({ host: '127.0.0.1', port, ca: certificate, ciphers, maxVersion: 'TLSv1.2' });
    await expect(once(other, 'secureConnect')).rejects.toThrow('handshake failure');
  });

  it.each(['/docs', '/openapi.json?x=1', '/health/ready'])('redirects %s from HTTP', async (path) => {
    const { status, headers } = parseRaw(await sendRaw(proxy.origin, plain(path)));
    expect({ status, headers }).toMatchObject({ status: 308, headers: { location: `${ORIGIN}${path}` } });
    expect(headers).not.toHaveProperty('strict-transport-security'); // means nothing over HTTP (RFC 6797)
  });

  it.each(['/v1/pets', '/%76%31/pets'])('refuses %s over HTTP, which would carry keys', async (path) => {
    const { status, headers, body } = parseRaw(await sendRaw(proxy.origin, plain(path)));
    const message = 'Requests carry keys: send them over HTTPS.';
    expect({ status, body }).toEqual({
      status: 400,
      body: JSON.stringify({ code: 'bad_request', message, status: 400 }),
    });
    expect(headers).toMatchObject({
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
  });

  it('tells the service the address of the client, whatever the client says', async () => {
    const attempt = async (forged: string, from: string) =>
      (await get('/v1/pets', { authorization: 'Bearer x', 'x-forwarded-for': forged }, from)).status;
    expect(await attempt('192.0.2.1', '127.0.0.2')).toBe(401);
    expect(await attempt('192.0.2.2', '127.0.0.2')).toBe(429);
    expect(await attempt('192.0.2.2', '127.0.0.3')).toBe(401);
  });

  it('lets 100 new connections of a network through in 5 s', async () => {
    const handshake = (localAddress: string): Promise<boolean> =>
      new Promise((resolve) => {
        const host = '127.0.0.1';
        const socket = connect({ socket: connectTcp({ host, port, localAddress }), host, ca: certificate });
        const end = (isSecure: boolean): void => {
          socket.destroy();
          resolve(isSecure);
        };
        socket.once('secureConnect', () => end(true)).once('error', () => end(false));
      });
    const crowd = async (size: number): Promise<number> => {
      const done = await Promise.all(Array.from({ length: size }, () => handshake('127.0.0.4')));
      return done.filter(Boolean).length;
    };
    expect(await crowd(100)).toBe(100);
    let passed = 150;
    for (let attempts = 0; passed === 150 && attempts < 20; attempts++) passed = await crowd(150);
    expect(passed).toBeLessThan(150);
    expect(await handshake('127.0.0.3')).toBe(true);
  });

  const plain = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n`;
});
