import { requestText } from './raw-client.mjs';

const TICK_MS = 5;

/**
 * Requests at a steady rate, whatever becomes of the ones before (an open loop): `request(i)` makes the text of each.
 * How long an answer took is counted from the moment at which its request was due, not from when it could be sent.
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

  /** Every outcome, once the last answer is here. */
  async finish() {
    this.stop();
    await Promise.all(this.#answers);
    return this.outcomes;
  }
}

/** Of ten requests, seven read a page and three create an animal. */
export function mixedRequests(key) {
  const read = requestText('GET', '/v1/pets?limit=10', { key });
  return (i) => {
    if (i % 10 < 7) return read;
    const body = JSON.stringify({ name: `animal ${i}`, categoryId: i, status: 'available' });
    return requestText('POST', '/v1/pets', { key, body });
  };
}

/** The most that can be asked for: pages of 100 animals, each at another of so many positions. */
export function largePages(key, positions) {
  return () => {
    const after = Math.floor(Math.random() * positions);
    return requestText('GET', `/v1/pets?limit=100&after=${after}`, { key });
  };
}
