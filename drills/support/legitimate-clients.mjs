import { isDisturbed } from '../../scripts/support/standstill.mjs';
import { bearer, httpClient } from './http.mjs';
import { percentile } from './statistics.mjs';

const REQUESTS_PER_S = 100;
const PATIENCE_MS = 5_000;
const AT_LEAST = 0.999;

/** Requests at a steady rate, independent of the responses. Nearly all must succeed. */
export class LegitimateClients {
  #sent = [];
  #timer;
  #call;
  #key;

  constructor(drill, origin, key) {
    this.#call = httpClient(drill, origin, { connections: 50, timeoutMs: PATIENCE_MS }).call;
    this.#key = key;
    this.#timer = setInterval(() => this.#sent.push(this.#ask(this.#sent.length)), 1_000 / REQUESTS_PER_S);
    drill.defer(() => clearInterval(this.#timer));
  }

  async judge(drill) {
    clearInterval(this.#timer);
    const outcomes = (await Promise.all(this.#sent)).filter(({ ok, disturbed }) => ok || !disturbed);
    const failed = outcomes.filter(({ ok }) => !ok);
    const share = 1 - failed.length / outcomes.length;
    const ms = outcomes.map((outcome) => outcome.ms);
    const reasons = byReason(failed);
    drill.figure(
      'legitimate requests',
      `${outcomes.length}, ${failed.length} failed ${[...reasons].map(([why, { length }]) => `(${length} × ${why})`).join(' ')}`,
    );
    drill.figure(
      'their latency',
      [0.5, 0.99, 1].map((part) => `p${part * 100} ${percentile(ms, part).toFixed(1)} ms`).join(', '),
    );
    drill.expect(
      `${(share * 100).toFixed(2)} % of the legitimate requests succeed, at least ${AT_LEAST * 100} %`,
      share >= AT_LEAST,
    );
  }

  #ask(i) {
    const since = performance.now();
    const [answer, expected] = this.#request(i);
    return answer.then(
      ({ status, ms }) => ({
        ok: status === expected,
        why: status,
        ms,
        disturbed: status === 503 && isDisturbed(since),
      }),
      (error) => ({ ok: false, why: error.code ?? error.message, ms: PATIENCE_MS }),
    );
  }

  /** A quarter create an animal, an eighth read the documentation page. */
  #request(i) {
    const headers = { ...bearer(this.#key), 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `animal ${i}`, categoryId: i });
    if (i % 4 === 0) return [this.#call('POST', '/v1/pets', { headers, body }), 201];
    if (i % 8 === 1) return [this.#call('GET', '/docs/'), 200];
    return [this.#call('GET', '/v1/pets?limit=10', { headers: bearer(this.#key) }), 200];
  }
}

function byReason(failed) {
  const groups = new Map();
  for (const failure of failed) groups.set(failure.why, [...(groups.get(failure.why) ?? []), failure]);
  return groups;
}
