import { DataSource } from 'typeorm';
import type { Answer } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { Catalogue } from './catalogue.js';
import { type Operation, readDocument } from './document.js';
import type { Sent } from './requests.js';

/** A service, what its document says, and what it should hold. */
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
    // Of other resources the catalogue knows nothing.
    const operations = readDocument(text).filter(({ path }) => /^\/v1\/pets(\/|$)/.test(path));
    return new World(service, operations);
  }

  /** Sends a request with the key, unless it says otherwise. The answer is checked against the document. */
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

  /** Begins anew, with ids from 1 on, so that a counterexample does not depend on what came before it. */
  async empty(): Promise<void> {
    await this.service.app.get(DataSource).query('TRUNCATE pets RESTART IDENTITY');
    this.catalogue = new Catalogue();
    this.service.log.length = 0;
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}
