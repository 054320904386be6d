import { freePort } from '../../scripts/support/free-port.mjs';
import { startHaproxy } from './haproxy.mjs';
import { startService } from './service.mjs';

/** Two replicas behind HAProxy. */
export async function startReplicas(drill, settings) {
  const replicas = [];
  for (const name of ['replica-1', 'replica-2']) {
    const own = { ...settings, PORT: String(await freePort()) };
    replicas.push({ name, settings: own, service: await startService(drill, own) });
  }
  const [first, second] = replicas.map(({ service }) => new URL(service.origin).host);
  const proxy = await startHaproxy(drill, { addresses: { REPLICA_1: first, REPLICA_2: second } });
  for (const { name } of replicas) await proxy.up(name);

  /** Like an orchestrator: waits until the load balancer has noticed. */
  const end = async (replica) => {
    const began = performance.now();
    await replica.service.stop();
    const ms = performance.now() - began;
    const { exitCode } = replica.service.child;
    await proxy.up(replica.name, false);
    return { ms, exitCode };
  };
  const begin = async (replica, settingsFromNowOn = {}) => {
    Object.assign(replica.settings, settingsFromNowOn);
    replica.service = await startService(drill, replica.settings);
    await proxy.up(replica.name);
  };
  return { origin: proxy.origin, replicas, end, begin };
}
