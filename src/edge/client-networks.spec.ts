import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientNetworks } from './client-networks.js';

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('The network of a client', () => {
  it.each([
    [[], '10.0.0.1', '192.0.2.7', '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    [['10.0.0.0/8'], '192.0.2.9', '192.0.2.7', '192.0.2.9'],
    [['10.0.0.0/8'], '10.0.0.1', 'unknown', '10.0.0.1'],
    [['10.0.0.0/8'], '10.0.0.1', '2001:db8:1:2::3', '2001:db8:1::/48'],
    [[], '2001:db8:1:2::3', undefined, '2001:db8:1::/48'],
  ])('behind %j, from %s for %s, is %s', (trusted, address, forwarded, network) => {
    expect(clientNetworks(trusted)(request(address, forwarded))).toBe(network);
  });
});
