// The load generator of steady.mjs, in its own process. Prints its measurements as JSON.
import { setTimeout as delay } from 'node:timers/promises';
import { succeeded, tally } from '../../drills/support/answers.mjs';
import { RawClient, requestText } from '../../drills/support/raw-client.mjs';
import { percentile } from '../../drills/support/statistics.mjs';

const { origin, key, rows, workload, perSecond, seconds, connections } = JSON.parse(process.argv[2]);
const below = (end) => Math.floor(Math.random() * Math.max(1, end));
const get = (path) => requestText('GET', path, { key });

const workloads = {
  page: () => get(`/v1/pets?limit=20&after=${below(rows - 25)}`),
  hot: () => get('/v1/pets?limit=20'),
  status: () => get(`/v1/pets?limit=100&status=available&after=${below(rows - 1000)}`),
  one: () => get(`/v1/pets/${1 + below(rows)}`),
  create: () => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 + below(50), status: 'available' });
    return requestText('POST', '/v1/pets', { key, body });
  },
  mixed: () => workloads[Math.random() < 0.5 ? 'page' : 'create'](),
};

// Leaves the times of the first second out, in which the generator itself is still being compiled.
const WARM_UP_SECONDS = 1;
const total = Math.round(perSecond * (WARM_UP_SECONDS + seconds));
const client = new RawClient(origin, { connections });
const started = performance.now();
const times = [];
const failures = [];
let answered = 0;
for (let sent = 0; answered < total; await delay(1)) {
  const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond));
  for (; sent < due; sent++) void send(sent);
}
client.close();
const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(times, share));
process.stdout.write(
  JSON.stringify({ sent: total, p50, p99, max, failed: failures.length, failures: tally(failures) }),
);

async function send(number) {
  const outcome = await client.ask(workloads[workload](), started + (number / perSecond) * 1000);
  answered++;
  if (!succeeded(outcome)) failures.push({ status: outcome.status, why: outcome.why });
  else if (number >= perSecond * WARM_UP_SECONDS) times.push(outcome.ms);
}
