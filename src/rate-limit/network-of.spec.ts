import { expect, it } from '@jest/globals';
import { networkOf } from './network-of.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:0:1::1', '2001:db8:0::/48'],
  ['2001:0DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0::/48'],
  ['2001:db8::', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['unknown', 'unknown'],
])('An address such as %s stands for %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
