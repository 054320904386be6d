import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'lossless-json';
import { requestText } from './raw-client.mjs';

const INVALID_EVERY = 10;
const STATUSES = ['available', 'pending', 'sold', undefined];

/** Bodies with one fault each. The name stays valid, so that an animal stored by mistake can be found. */
const FAULTS = [
  (name) => `{"name":"${name}"}`,
  (name) => `{"name":"${name}","categoryId":1.5}`,
  (name) => `{"name":"${name}","categoryId":9223372036854775808}`,
  (name) => `{"name":"${name}","categoryId":1,"id":1}`,
  (name) => `{"name":"${name}","categoryId":1,"status":"asleep"}`,
  (name) => `{"name":"${name}","categoryId":1,"colour":"red"}`,
  (name) => `{"name":"${name}","categoryId":1}}`,
];

/**
 * Creates animals continuously and records each outcome in a journal: `acknowledged` (201), `refused` (503: not stored),
 * `unknown` (a 503 that says so, or no answer), or `invalid` (must not be stored, whatever the answer).
 */
export class AnimalWriters {
  /** Unexpected answers, such as 500. */
  wrong = [];
  /** Of the acknowledged animals. */
  ids = [];
  /** In milliseconds. */
  slowest = 0;
  #client;
  #key;
  #journal;
  #prefix;
  #keyed;
  #stopped = false;
  #done;

  /** With `keyed`, each request has an Idempotency-Key. */
  constructor(client, key, journal, count, { prefix = 'animal', keyed = false } = {}) {
    this.#client = client;
    this.#key = key;
    this.#journal = journal;
    this.#prefix = prefix;
    this.#keyed = keyed;
    this.#done = Promise.all(Array.from({ length: count }, (_, writer) => this.#write(writer)));
  }

  /** Stops the writers after their pending answers. */
  stop() {
    this.#stopped = true;
    return this.#done;
  }

  async #write(writer) {
    for (let i = 0; !this.#stopped; i++) {
      const name = `${this.#prefix} ${writer}-${i} жираф 🦒`;
      const valid = i % INVALID_EVERY !== 0;
      const animal = { name, categoryId: anyInt64(), status: STATUSES[randomInt(STATUSES.length)] };
      const body = valid ? bodyOf(animal) : FAULTS[randomInt(FAULTS.length)](name);
      const headers = this.#keyed ? { 'Idempotency-Key': randomUUID() } : {};
      const request = requestText('POST', '/v1/pets', { key: this.#key, body, headers });
      const answer = await this.#client.ask(request);
      this.slowest = Math.max(this.slowest, answer.ms);
      await this.#note(answer, animal, valid);
      if (answer.status === 0 || answer.status === 503) await delay(20);
    }
  }

  async #note({ status, body, why }, animal, valid) {
    if (why === 'ECONNREFUSED') return; // nothing was sent
    const away = status === 503 || status === 0;
    if (!valid && (status === 400 || away)) await this.#journal.write('invalid', animal);
    else if (status === 201 && valid) {
      const added = { ...animal, ...readAnimal(body, animal) };
      await this.#journal.write('acknowledged', added);
      this.ids.push(added.id);
    } else if (status === 503 && !body.includes('outcome is unknown'))
      await this.#journal.write('refused', animal);
    else if (away) await this.#journal.write('unknown', animal);
    else this.wrong.push({ status, why: `${status || why} ${body}` });
  }
}

/** Parses animals with integers as text, because JSON.parse would round them. */
export const parseAnimals = (text) => parse(text, undefined, { parseNumber: String });

/** The assigned id, and whether the answer repeats what was sent. */
function readAnimal(text, sent) {
  const { id, ...rest } = parseAnimals(text);
  return { id, echoed: sameAnimal(rest, sent) };
}

export const sameAnimal = (a, b) =>
  a.name === b.name && a.categoryId === b.categoryId && (a.status ?? null) === (b.status ?? null);

const bodyOf = ({ name, categoryId, status }) =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`;

/** A random int64 of any magnitude, as text. */
const anyInt64 = () =>
  String(
    BigInt.asIntN(64, (BigInt(randomInt(2 ** 32)) << 32n) | BigInt(randomInt(2 ** 32))) >>
      BigInt(randomInt(64)),
  );
