// The load generator of steady.mjs, in its own process. Prints its measurements as JSON.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../drills/support/statistics.mjs';

const { origin, key, rows, workload, perSecond, seconds, connections } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(origin);
const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
const below = (end) => Math.floor(Math.random() * Math.max(1, end));

const workloads = {
  page: () => ({ path: `/v1/pets?limit=20&after=${below(rows - 25)}` }),
  hot: () => ({ path: '/v1/pets?limit=20' }),
  status: () => ({ path: `/v1/pets?limit=100&status=available&after=${below(rows - 1000)}` }),
  one: () => ({ path: `/v1/pets/${1 + below(rows)}` }),
  create: () => ({
    method: 'POST',
    path: '/v1/pets',
    body: JSON.stringify({ name: 'Rex', categoryId: 1 + below(50), status: 'available' }),
  }),
};

// Discards the first second, in which the generator itself is still being compiled.
const WARM_UP_SECONDS = 1;
const total = Math.round(perSecond * (WARM_UP_SECONDS + seconds));
const started = performance.now();
const answers = [];
while (answers.length < total) {
  const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond));
  while (answers.length < due) answers.push(send(started + (answers.length / perSecond) * 1000));
  await delay(1);
}
const times = (await Promise.all(answers)).slice(perSecond * WARM_UP_SECONDS);
agent.destroy();
process.stdout.write(JSON.stringify({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) }));

function send(dueAt) {
  const { method = 'GET', path, body } = workloads[workload]();
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      if (response.statusCode >= 300)
        reject(new Error(`${method} ${path} was answered ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - dueAt));
    });
    sent.on('error', reject).end(body);
  });
}
