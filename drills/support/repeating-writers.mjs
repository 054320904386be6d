import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestText } from './raw-client.mjs';

const RETRY_MS = { first: 20, most: 320 };
/** One in so many acknowledged requests is sent once more. */
const AGAIN_EVERY = 10;
const ORDER_EVERY = 5;
const UNDECIDED = [0, 500, 502, 503, 504];

/** Clients that repeat each request under its Idempotency-Key until it is acknowledged. */
export class RepeatingWriters {
  /** The ids of animals by name, and the quantities of orders that are not deleted by id: as acknowledged. */
  animals = new Map();
  orders = new Map();
  acknowledged = [];
  /** Answers that no repetition can end, and 500. */
  wrong = [];
  /** Repetitions after an acknowledgement whose answer was another, or not marked as repeated. */
  different = [];
  counts = { acknowledged: 0, repeated: 0, replayed: 0, compared: 0 };
  #client;
  #key;
  #isWriting = true;
  #done;

  constructor(client, key, count) {
    this.#client = client;
    this.#key = key;
    this.#done = Promise.all(Array.from({ length: count }, (_, writer) => this.#write(writer)));
  }

  /** Resolves after the last acknowledgement. */
  stop() {
    this.#isWriting = false;
    return this.#done;
  }

  /** Sends acknowledged requests again and compares the answers. */
  async compare(count) {
    for (let i = 0; i < count; i++) {
      const { text, answer } = this.acknowledged[Math.floor(Math.random() * this.acknowledged.length)];
      this.#compare(answer, await this.#repeat(text));
    }
  }

  async #write(writer) {
    let i = 0;
    while (this.#isWriting) {
      const name = `animal ${writer}-${i}`;
      const animal = await this.#once('POST', '/v1/pets', { name, categoryId: 1, status: 'available' });
      this.animals.set(name, JSON.parse(animal.body).id);
      if (i % ORDER_EVERY === 0) await this.#order(JSON.parse(animal.body).id, i);
      i++;
    }
  }

  async #order(petId, i) {
    const { id } = JSON.parse((await this.#once('POST', '/v1/store/orders', { petId })).body);
    const path = `/v1/store/orders/${id}`;
    const { quantity } = JSON.parse((await this.#once('PATCH', path, { quantity: 1 + (i % 1_000) })).body);
    this.orders.set(id, quantity);
    if (i % (2 * ORDER_EVERY) !== 0) return;
    await this.#once('DELETE', path);
    this.orders.delete(id);
  }

  /** Resolves with the acknowledgement. */
  async #once(method, path, body) {
    const text = requestText(method, path, {
      key: this.#key,
      body: body && JSON.stringify(body),
      headers: { 'Idempotency-Key': randomUUID() },
    });
    const answer = await this.#repeat(text);
    this.counts.acknowledged++;
    this.acknowledged.push({ text, answer });
    if (this.counts.acknowledged % AGAIN_EVERY === 0) this.#compare(answer, await this.#repeat(text));
    return answer;
  }

  async #repeat(text) {
    for (let wait = RETRY_MS.first; ; wait = Math.min(2 * wait, RETRY_MS.most)) {
      const { status, why, head, body } = await this.#client.ask(text);
      if (status >= 200 && status < 300) {
        const isReplay = /\r\nidempotency-replayed: true/i.test(head);
        if (isReplay) this.counts.replayed++;
        const location = /\r\nlocation: *([^\r]*)/i.exec(head)?.[1];
        return { seen: `${status} ${location} ${body}`, body, isReplay };
      }
      if (status === 500 || !UNDECIDED.includes(status))
        this.wrong.push({ status, why: why ?? `${status} ${body}` });
      if (!UNDECIDED.includes(status)) throw new Error(`Answered ${status} ${body}`);
      this.counts.repeated++;
      await delay(wait * (0.5 + Math.random()));
    }
  }

  #compare(first, again) {
    this.counts.compared++;
    if (again.seen !== first.seen || !again.isReplay)
      this.different.push({ why: `${again.seen} for ${first.seen}` });
  }
}
