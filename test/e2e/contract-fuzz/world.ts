import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { ApiKey } from '../../../src/auth/api-key.entity.js';
import { type Answer, isUnknown, machine } from '../support/client.js';
import { insist } from '../support/insist.js';
import { type Service, startService } from '../support/service.js';
import { BY_ID, Catalogue, exact, type Item, latestBy, type Order, orderBy } from './catalogue.js';
import { collectionOf, type Operation, readDocument } from './document.js';
import type { Sent } from './requests.js';
import { collections, kindOf, orderedBy, relatedTo } from './resources.js';
import type { Meaning } from './values.js';

/** A repetition changes nothing: the model, which knows of one request, agrees afterwards. */
function expectReplay(first: Answer, again: Answer): void {
  const shown = ({ status, text, headers: { location } }: Answer): object => ({ status, text, location });
  expect({ ...shown(again), replayed: again.headers['idempotency-replayed'] }).toEqual({
    ...shown(first),
    replayed: 'true',
  });
}

/** A running service with its documented operations and the model of its data. */
export class World {
  private catalogues = new Map<string, Catalogue>();
  requests = 0;

  private constructor(
    readonly service: Service,
    readonly operations: Operation[],
  ) {}

  static async start(): Promise<World> {
    const service = await startService({ rateLimitPerKey: 0, rateLimitFailures: 0 });
    const { text } = await service.call('GET', '/openapi.json');
    const references = service.app
      .get(DataSource)
      .entityMetadatas.flatMap(({ tableName: table, foreignKeys }) =>
        foreignKeys.flatMap(({ columns: [column], referencedEntityMetadata: { tableName: target } }) =>
          column ? [{ table, field: column.propertyName, target }] : [],
        ),
      );
    return new World(service, readDocument(text, references));
  }

  /**
   * Sends a request with the key, unless its headers override it, and checks the answer against the document. When the
   * machine stood still, its outcome may remain unknown: the case is then left out.
   */
  async send({ method, path, headers, body, isRepeated }: Sent): Promise<Answer> {
    const send = (): Promise<Answer> => {
      this.requests++;
      return this.service.call(method, path, {
        headers: { authorization: `Bearer ${this.service.key}`, ...key, ...headers },
        ...(body !== undefined && { body }),
      });
    };
    const key = isRepeated ? { 'idempotency-key': randomUUID() } : {};
    const from = performance.now();
    const answer = await insist(send);
    if (isUnknown(answer) && machine.isDisturbed(from)) {
      await this.refresh();
      fc.pre(false);
    }
    if (isRepeated && answer.status < 300) expectReplay(answer, await insist(send));
    return answer;
  }

  get(path: string): Promise<Answer> {
    return this.send({ method: 'GET', path, headers: {}, says: {} });
  }

  /** The model of a collection. */
  catalogue(path: string): Catalogue {
    const catalogue = this.catalogues.get(path) ?? new Catalogue();
    this.catalogues.set(path, catalogue);
    return catalogue;
  }

  /** The order of a list. For texts, it is that of the database, whose collation no document says. */
  async orderOf(list: Operation, after: Meaning | undefined): Promise<Order> {
    const { by, isLatestFirst } = orderedBy(list);
    if (isLatestFirst) return latestBy(by);
    const values = this.catalogue(list.path)
      .all()
      .map((item) => item[by]);
    const texts = [...values, after].filter((value) => typeof value === 'string');
    if (texts.length === 0) return orderBy(by, BY_ID.compare);
    const rows = await this.service.app
      .get(DataSource)
      .query<{ text: string }[]>('SELECT DISTINCT text FROM unnest($1::text[]) AS text ORDER BY text', [
        texts,
      ]);
    const ranks = new Map(rows.map(({ text }, rank) => [text, rank]));
    return orderBy(by, (a, b) => ranks.get(a as string)! - ranks.get(b as string)!);
  }

  /** All items of a collection, in the order of the model, which is that of their ids. */
  async readAll(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let next: string | undefined = `${path}?limit=100`; next !== undefined;) {
      const answer = await this.get(next);
      if (answer.status !== 200) throw new Error(`Answered ${answer.status} ${answer.text}`);
      items.push(...(exact(answer.text) as Item[]));
      next = /<([^>]+)>; rel="next"/.exec(String(answer.headers['link']))?.[1];
    }
    return items.toSorted((a, b) => (a['id']! < b['id']! ? -1 : 1));
  }

  /** A change may have changed other resources, by rules that the document does not say. */
  refreshRelated({ path }: Operation): Promise<void> {
    return this.refresh(relatedTo(this.operations, collectionOf(path)));
  }

  async refresh(paths = collections(this.operations)): Promise<void> {
    const lists = this.operations.filter((operation) => kindOf(operation) === 'list');
    for (const { path } of lists.filter((list) => paths.includes(list.path))) {
      this.catalogue(path).reset(await this.readAll(path));
    }
  }

  /** Resets the data and the ids, so that counterexamples do not depend on earlier cases. */
  async empty(): Promise<void> {
    const dataSource = this.service.app.get(DataSource);
    const tables = dataSource.entityMetadatas.filter(({ target }) => target !== ApiKey);
    const names = tables.map(({ tablePath }) => tablePath).join(', ');
    await dataSource.query(`TRUNCATE ${names} RESTART IDENTITY CASCADE`);
    this.catalogues = new Map();
    this.service.log.length = 0;
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}
