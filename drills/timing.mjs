import { setTimeout as delay } from 'node:timers/promises';
import { bearer, httpClient } from './support/http.mjs';
import { misspelt, nearMisses, randomKey, sharingPrefix, shuffled } from './support/keys.mjs';
import { startPostgres } from './support/postgres.mjs';
import { issueKeys, startService } from './support/service.mjs';
import { mean, percentile, welchT } from './support/statistics.mjs';

export const title = 'the time of a refusal does not reveal how close a key is to a real one';

const REAL_KEYS = 5;
const WARM_UP = 1_000;
const SAMPLES = 8_000;
/** Drops the slowest tenth of all samples: pauses of the machine are noise in every class. */
const KEPT = 0.9;
const LIMIT = 4.5;

export async function run(drill) {
  const { url } = await startPostgres(drill);
  const settings = { DATABASE_URL: url, KEY_ENVIRONMENT: 'test' };
  drill.progress(`issuing ${REAL_KEYS} keys`);
  const real = await issueKeys(settings, REAL_KEYS);
  const { origin } = await startService(drill, settings);
  const { call } = httpClient(drill, origin);

  // Each key is used once, because refusals are cached and a cached one takes another path.
  const near = shuffled(real.flatMap(nearMisses));
  const classes = {
    random: randomKey,
    near: () => near.pop(),
    prefix: () => sharingPrefix(real[near.length % REAL_KEYS]),
    misspelt,
  };
  const names = Object.keys(classes);
  const samples = Object.fromEntries(names.map((name) => [name, []]));

  const measure = async (key) => {
    const { status, ms } = await call('GET', '/v1/pets', { headers: bearer(key) });
    // The service limits look-ups of unknown keys per second.
    if (status === 429) {
      await delay(1_000);
      return measure(key);
    }
    if (status !== 401) throw new Error(`A key that was never issued got ${status} instead of 401.`);
    return ms;
  };
  drill.progress(`warming up: ${WARM_UP} requests`);
  for (const key of real) await call('GET', '/v1/pets', { headers: bearer(key) });
  for (let i = 0; i < WARM_UP; i++) await measure(i % 2 ? randomKey() : sharingPrefix(real[0]));

  for (let i = 0; i < SAMPLES; i++) {
    if (i % 2_000 === 0) drill.progress(`${i} of ${SAMPLES} samples of each kind`);
    for (const name of shuffled(names)) samples[name].push(await measure(classes[name]()));
  }
  judge(drill, samples);
}

function judge(drill, { random, near, prefix, misspelt: control }) {
  const cut = percentile([...random, ...near, ...prefix], KEPT);
  const trim = (values) => values.filter((ms) => ms <= cut);
  const tell = (name, values) =>
    drill.figure(name, `n ${trim(values).length} of ${values.length}, mean ${micros(mean(trim(values)))}`);
  tell('random keys', random);
  tell('one character changed', near);
  tell('24 characters shared', prefix);
  tell('refused by checksum (control)', control);

  for (const [name, values] of [
    ['one character changed', near],
    ['24 characters shared', prefix],
  ]) {
    const t = welchT(trim(values), trim(random));
    drill.expect(
      `${name}, compared with random keys: t = ${t.toFixed(2)}, |t| < ${LIMIT}`,
      Math.abs(t) < LIMIT,
    );
  }
  // The control skips the look-up. If that difference is not visible, the drill is not sensitive enough.
  const t = welchT(trim(control), trim(random));
  drill.expect(
    `control, compared with random keys: t = ${t.toFixed(2)}, |t| > ${LIMIT}`,
    Math.abs(t) > LIMIT,
  );
}

const micros = (ms) => `${(ms * 1000).toFixed(1)} µs`;
