import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { requireTool } from '../../scripts/support/tool.mjs';

const MTU = '1500';
/** From the range for benchmarks (RFC 2544), so many for each drill that several can run at once. */
const ADDRESSES = 16;
const CLIENTS = 12;

/**
 * A network of two machines: this one, and a namespace for clients, in which `fork` starts programs. The loopback
 * interface would hide the effect of slow readers: its segments are so large that the kernel accepts over a megabyte
 * for a client that reads nothing.
 */
export function makeLink(drill) {
  requireTool(drill, 'ip', 'iproute2');
  const name = `drill-${process.pid}`;
  const [here, there] = [`dh${process.pid}`, `dc${process.pid}`];
  const first = (process.pid % (65_536 / ADDRESSES)) * ADDRESSES;
  const address = (host) => `198.18.${first >> 8}.${(first & 255) + host}`;
  const clients = Array.from({ length: CLIENTS }, (_, i) => address(i + 2));

  ip('netns', 'add', name);
  drill.defer(() => ip('netns', 'delete', name)); // removes both ends of the link
  ip('link', 'add', here, 'mtu', MTU, 'type', 'veth', 'peer', 'name', there, 'mtu', MTU, 'netns', name);
  for (const [device, addresses, at] of [
    [here, [address(1)], []],
    [there, clients, ['-n', name]],
  ]) {
    // One segment at a time, as on a network card: by default the kernel passes on 64 KiB at once.
    ip(...at, 'link', 'set', device, 'gso_max_segs', '1');
    for (const one of addresses) ip(...at, 'address', 'add', `${one}/28`, 'dev', device);
    ip(...at, 'link', 'set', device, 'up');
  }
  return {
    address: address(1),
    /** Of the programs in the namespace. */
    clients,
    /** Starts a program in the namespace, which communicates by messages. */
    fork(file) {
      const child = fork(file, { execPath: 'ip', execArgv: ['netns', 'exec', name, process.execPath] });
      drill.defer(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      });
      return child;
    },
  };
}

function ip(...args) {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(
    `ip ${args.join(' ')}: ${stderr.trim()}. The drill makes a network namespace: run it as root, with CAP_SYS_ADMIN and CAP_NET_ADMIN.`,
  );
}
