import { DataSource } from 'typeorm';
import type { Answer } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { Catalogue } from './catalogue.js';
import { type Operation, readDocument } from './document.js';
import type { Sent } from './requests.js';

/** A running service with its documented operations and the model of its data. */
export class World {
  catalogue = new Catalogue();
  requests = 0;

  private constructor(
    readonly service: Service,
    readonly operations: Operation[],
  ) {}

  static async start(): Promise<World> {
    const service = await startService({ rateLimitPerKey: 0, rateLimitFailures: 0 });
    const { text } = await service.call('GET', '/openapi.json');
    // The model covers animals only.
    const operations = readDocument(text).filter(({ path }) => /^\/v1\/pets(\/|$)/.test(path));
    return new World(service, operations);
  }

  /** Sends a request with the key, unless its headers override it, and checks the answer against the document. */
  send({ method, path, headers, body }: Sent): Promise<Answer> {
    this.requests++;
    return this.service.call(method, path, {
      headers: { authorization: `Bearer ${this.service.key}`, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path, headers: {}, says: {} });
  }

  operation(id: string): Operation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`The document has no operation ${id}`);
    return found;
  }

  /** Resets the data and the ids, so that counterexamples do not depend on earlier cases. */
  async empty(): Promise<void> {
    await this.service.app.get(DataSource).query('TRUNCATE pets RESTART IDENTITY');
    this.catalogue = new Catalogue();
    this.service.log.length = 0;
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}
