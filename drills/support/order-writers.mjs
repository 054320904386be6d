import { setTimeout as delay } from 'node:timers/promises';
import { requestText } from './raw-client.mjs';

const RETRY_MS = 20;

/** Clients that compete to create, change, complete and delete the orders of a few animals. */
export class OrderWriters {
  /** Answers other than success, a documented conflict, and 503. */
  wrong = [];
  answers = 0;
  #clients;
  #key;
  #journal;
  #slots;
  #quantity = 0;
  #running = [];
  #isWriting = false;

  /** One client for each replica. */
  static async over(clients, { key, journal, animals }) {
    const writers = new OrderWriters();
    writers.#clients = clients;
    writers.#key = key;
    writers.#journal = journal;
    writers.#slots = await Promise.all(Array.from({ length: animals }, () => writers.#addAnimal(clients[0])));
    return writers;
  }

  start(count) {
    this.#isWriting = true;
    this.#running = Array.from({ length: count }, (_, i) =>
      this.#write(this.#clients[i % this.#clients.length]),
    );
  }

  /** Resolves after the last answer. */
  async stop() {
    this.#isWriting = false;
    await Promise.all(this.#running);
  }

  async #write(client) {
    while (this.#isWriting) {
      const slot = Math.floor(Math.random() * this.#slots.length);
      const animal = this.#slots[slot];
      const isDecided = await (animal.order ? this.#useOrder(client, animal) : this.#create(client, animal));
      if (!isDecided) await delay(RETRY_MS);
      if (animal.isSold && this.#slots[slot] === animal) this.#slots[slot] = await this.#addAnimal(client);
    }
  }

  async #create(client, animal) {
    const answer = await this.#ask(client, 'POST', '/v1/store/orders', {
      petId: animal.id,
      quantity: this.#nextQuantity(),
    });
    if (answer.status === 201) {
      animal.order = JSON.parse(answer.body).id;
      this.#journal.created(animal.order, answer);
    } else if (answer.status === 409) await this.#findOrder(client, animal);
    else if (answer.isUnknown) this.#journal.creationUnknown(animal.id);
    return this.#judge(answer, [201, 409]);
  }

  /** The order of another client, or one whose creation was not answered. */
  async #findOrder(client, animal) {
    const answer = await this.#ask(client, 'GET', `/v1/store/orders?petId=${animal.id}`);
    const [order] = answer.status === 200 ? JSON.parse(answer.body) : [];
    if (order?.complete) animal.isSold = true;
    else animal.order = order?.id;
  }

  async #useOrder(client, animal) {
    const { order } = animal;
    const path = `/v1/store/orders/${order}`;
    const dice = Math.random();
    if (dice < 0.4) {
      const answer = await this.#ask(client, 'DELETE', path);
      if (answer.status === 204 || answer.isUnknown) this.#journal.deleted(order, answer);
      return this.#judge(answer, [204, 404, 409], animal);
    }
    const isCompletion = dice < 0.6;
    const body = isCompletion ? { complete: true } : { quantity: this.#nextQuantity() };
    const answer = await this.#ask(client, 'PATCH', path, body);
    if (answer.status === 200 || answer.isUnknown)
      this.#journal[isCompletion ? 'completed' : 'changed'](order, answer);
    if (isCompletion && answer.status === 200) animal.isSold = true;
    return this.#judge(answer, [200, 404, 409], animal);
  }

  /** @returns whether the service decided */
  #judge(answer, expected, animal = {}) {
    const { status, isUnknown, isRefused } = answer;
    if (status === 204 || status === 404) animal.order = undefined;
    if (animal.order && status === 409) animal.isSold = true; // the order is complete
    if (expected.includes(status)) return true;
    if (isRefused) this.#journal.refused();
    else if (!isUnknown) this.wrong.push(answer);
    return false;
  }

  async #addAnimal(client) {
    for (;;) {
      const animal = { name: 'wanted', categoryId: 1, status: 'available' };
      const { status, body } = await this.#ask(client, 'POST', '/v1/pets', animal);
      if (status === 201) return { id: JSON.parse(body).id };
      await delay(RETRY_MS);
    }
  }

  #nextQuantity() {
    return (this.#quantity = (this.#quantity % 1_000_000) + 1);
  }

  async #ask(client, method, path, body) {
    const sentAt = performance.now();
    const text = requestText(method, path, { key: this.#key, body: body && JSON.stringify(body) });
    const answer = await client.ask(text);
    const isRefused =
      answer.why === 'ECONNREFUSED' || (answer.status === 503 && !/outcome is unknown/.test(answer.body));
    const isUnknown = !isRefused && (answer.status === 0 || answer.status === 503);
    this.answers++;
    return {
      ...answer,
      quantity: body?.quantity,
      isRefused,
      isUnknown,
      sentAt,
      answeredAt: isUnknown ? Infinity : performance.now(),
    };
  }
}
