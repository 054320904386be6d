import { isIPv6 } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The unit that limits count: an IPv4 address, or a /64 of IPv6, within which a customer can choose any address. */
export function networkOf(address: string): string {
  // An IPv4-mapped address such as ::ffff:192.0.2.1 counts by itself.
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = [], behind = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(GROUPS - before.length - behind.length).fill('0');
  const network = [...before, ...zeros, ...behind].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
