// Large pages of animals: refusing costs a fifth of a small answer, so that three times their peak could not be refused.
import { Agent } from 'node:http';
import { randomInt } from 'node:crypto';
import { ask, refusedProperly, slowest, steadyLoad, succeeded, tally } from './client.mjs';

const CONNECTIONS = 1_000;

process.on('message', async ({ origin, key, positions, clients, perSecond, seconds }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
  const send = () => ask(origin, 'GET', `/v1/pets?limit=100&after=${randomInt(positions)}`, { key, agent });
  const begun = performance.now();
  const answers = clients ? await closedLoop(clients, seconds, send) : await openLoop(perSecond, seconds, send);
  const took = (performance.now() - begun) / 1_000;
  const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
  agent.destroy();
  process.send({
    goodput: answers.filter(succeeded).length / took,
    perSecond: answers.length / seconds,
    refused: answers.filter(refusedProperly).length,
    slowest: slowest(answers),
    tally: tally(answers),
    wrong: tally(wrong),
  });
});

/** Each client sends its next request after the answer to the last. */
async function closedLoop(clients, seconds, send) {
  const answers = [];
  const end = performance.now() + seconds * 1_000;
  const client = async () => {
    while (performance.now() < end) answers.push(await send());
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answers;
}

async function openLoop(perSecond, seconds, send) {
  const load = steadyLoad({ defer: () => {} }, perSecond, send);
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
  return load.finish();
}
