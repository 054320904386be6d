import { isIP, isIPv6, SocketAddress } from 'node:net';

const GROUPS = 8;
const GROUP_BITS = 16;
const NETWORK_GROUPS = 3;
/** As some balancers forward it: 192.0.2.1:51234 or [2001:db8::1]:443. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** The network of a request's client. A forwarded address that is none counts as the balancer's. */
export function clientOf({ ip, socket }: { ip: string; socket: { remoteAddress?: string } }): string {
  const [, bracketed, plain] = WITH_PORT.exec(ip) ?? [];
  const address = bracketed ?? plain ?? ip;
  return networkOf(isIP(address) ? address : (socket.remoteAddress ?? ''));
}

/** The unit that limits count, as HAProxy does: an IPv4 address, or a /48 of IPv6, the most that a customer gets. */
export function networkOf(given: string): string {
  if (!isIPv6(given)) return given;
  const { address } = new SocketAddress({ address: given.split('%', 1)[0], family: 'ipv6' });
  // IPv4 within IPv6, such as ::ffff:192.0.2.1.
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [before = [], behind = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(GROUPS - before.length - behind.length).fill('0');
  return `${[...before, ...zeros, ...behind].slice(0, NETWORK_GROUPS).join(':')}::/${NETWORK_GROUPS * GROUP_BITS}`;
}
