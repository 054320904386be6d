// A load generator that runs in its own process, so that it does not compete with the drill. Started by load.mjs.
import { latencies, refusedProperly, succeeded, tally } from './answers.mjs';
import { RawClient } from './raw-client.mjs';
import { largePages, SteadyLoad } from './steady-load.mjs';

/** An answer within this time counts as normal. */
const NORMAL_MS = 500;

process.on('message', async ({ origin, key, positions, seconds, perSecond, connections }) => {
  const client = new RawClient(origin, { connections });
  const request = largePages(key, positions);
  const from = performance.now();
  const ms = seconds * 1_000;
  const outcomes = await (perSecond
    ? openLoop(client, request, perSecond, ms)
    : closedLoop(client, request, connections, ms));
  client.close();
  process.send(summary(outcomes, { from, seconds }));
});
process.on('disconnect', () => process.exit());

async function openLoop(client, request, perSecond, ms) {
  const load = new SteadyLoad(client, perSecond, request);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return load.finish();
}

async function closedLoop(client, request, connections, ms) {
  const end = performance.now() + ms;
  const outcomes = [];
  let sent = 0;
  const ask = async () => {
    while (performance.now() < end) outcomes.push(await client.ask(request(sent++)));
  };
  await Promise.all(Array.from({ length: connections }, ask));
  return outcomes;
}

function summary(outcomes, { from, seconds }) {
  const successes = outcomes.filter(succeeded);
  const refusals = outcomes.filter(refusedProperly);
  const abnormal = outcomes.filter((outcome) => !succeeded(outcome) || outcome.ms > NORMAL_MS);
  const inTime = successes.filter(({ at }) => at - from <= seconds * 1_000);
  return {
    sentPerSecond: outcomes.length / seconds,
    goodput: inTime.length / seconds,
    answers: tally(outcomes),
    wrong: tally(outcomes.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome))),
    refused: refusals.length,
    latencyOfSuccesses: latencies(successes),
    latencyOfRefusals: latencies(refusals),
    /** The time after the start from which all answers were normal. */
    normalAfterMs: abnormal.reduce((last, { since }) => Math.max(last, since - from), 0),
  };
}
