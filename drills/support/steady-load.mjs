import { requestText } from './raw-client.mjs';

const TICK_MS = 5;

/**
 * Sends requests at a steady rate, independently of earlier answers (an open loop); `request(i)` returns the text of each.
 * Latency counts from when a request was due, not from when it was sent.
 */
export class SteadyLoad {
  outcomes = [];
  #answers = [];
  #timer;

  constructor(client, perSecond, request) {
    const started = performance.now();
    let sent = 0;
    const sendDue = () => {
      for (; started + (sent * 1_000) / perSecond <= performance.now(); sent++) {
        const due = started + (sent * 1_000) / perSecond;
        this.#answers.push(client.ask(request(sent), due).then((outcome) => this.outcomes.push(outcome)));
      }
    };
    this.#timer = setInterval(sendDue, TICK_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** Stops the load and resolves to all outcomes after the last answer. */
  async finish() {
    this.stop();
    await Promise.all(this.#answers);
    return this.outcomes;
  }
}

/** A mix of 70 % page reads and 30 % creates. */
export function mixedRequests(key) {
  const read = requestText('GET', '/v1/pets?limit=10', { key });
  return (i) => {
    if (i % 10 < 7) return read;
    const body = JSON.stringify({ name: `animal ${i}`, categoryId: i, status: 'available' });
    return requestText('POST', '/v1/pets', { key, body });
  };
}

/** Pages of the maximum size at random positions. */
export function largePages(key, positions) {
  return () => {
    const after = Math.floor(Math.random() * positions);
    return requestText('GET', `/v1/pets?limit=100&after=${after}`, { key });
  };
}
