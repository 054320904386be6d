import { setTimeout as delay } from 'node:timers/promises';
import { requestText } from './raw-client.mjs';

/**
 * Adds animals through one client and reads each through another at once after it is acknowledged: alone, and at the head
 * of a page. Meanwhile a walker reads all pages again and again.
 */
export class FollowedWriters {
  /** The ids that were acknowledged. */
  acknowledged = [];
  outcomes = { creates: [], reads: [] };
  /** Reads that miss an acknowledged animal. */
  stale = [];
  walks = { complete: 0, wrong: [] };
  #key;
  #stopped = false;
  #done;

  /** `pairs` are clients, each with the one that reads. */
  constructor(pairs, key, perPair) {
    this.#key = key;
    const writers = pairs.flatMap(([writer, reader]) =>
      Array.from({ length: perPair }, () => this.#write(writer, reader)),
    );
    this.#done = Promise.all([...writers, this.#walk(pairs.map(([, reader]) => reader))]);
  }

  stop() {
    this.#stopped = true;
    return this.#done;
  }

  async #write(writer, reader) {
    const headers = { key: this.#key, body: '{"name":"Rex","categoryId":1}' };
    while (!this.#stopped) {
      const created = await writer.ask(requestText('POST', '/v1/pets', headers));
      this.outcomes.creates.push(created);
      if (created.status !== 201) {
        await delay(20);
        continue;
      }
      const { id } = JSON.parse(created.body);
      this.acknowledged.push(id);
      const [one, page] = await Promise.all([
        this.#read(reader, `/v1/pets/${id}`),
        this.#read(reader, `/v1/pets?limit=1&after=${id - 1}`),
      ]);
      if (one.status === 404 || (page.status === 200 && JSON.parse(page.body)[0]?.id !== id))
        this.stale.push(id);
    }
  }

  async #read(client, path) {
    const outcome = await client.ask(requestText('GET', path, { key: this.#key }));
    this.outcomes.reads.push(outcome);
    return outcome;
  }

  async #walk(clients) {
    while (!this.#stopped) {
      const before = this.acknowledged.slice();
      const seen = [];
      for (let page = [0]; page.length > 0 && !this.#stopped;) {
        const client = clients[seen.length % clients.length];
        const { status, body } = await this.#read(client, `/v1/pets?limit=100&after=${seen.at(-1) ?? 0}`);
        if (status !== 200) await delay(20);
        else page = JSON.parse(body).map(({ id }) => id);
        if (status === 200) seen.push(...page);
      }
      if (this.#stopped) return;
      const found = new Set(seen);
      const missing = before.filter((id) => !found.has(id)).length;
      const unordered = seen.filter((id, i) => i > 0 && id <= seen[i - 1]).length;
      if (missing + unordered > 0) this.walks.wrong.push(`${missing} missing, ${unordered} unordered`);
      else this.walks.complete++;
    }
  }
}
