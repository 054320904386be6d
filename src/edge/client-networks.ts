import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { clientOf } from '../rate-limit/network-of.js';

/** The networks of clients, as HAProxy counts them, for requests that Fastify has not seen yet. */
export function clientNetworks(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => clientOf({ ip: '', socket });
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const { socket } = request;
    const ip = proxyAddr(request, isTrusted) ?? '';
    return clientOf({ ip, socket });
  };
}
