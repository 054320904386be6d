import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../common/config.js';
import { Int, Int64 } from './fields.js';

export const PAGE_LIMIT = { minimum: 1, maximum: 100 };

/** The query parameters of every list, which is in ascending order of id. A feature extends it with filters. */
export class PageQuery {
  @Int(PAGE_LIMIT, { description: 'Maximum number of items returned.', default: 20 })
  readonly limit!: number;

  @Int64({
    description: 'Return only items whose id is greater: the last id of the previous page.',
    optional: true,
  })
  readonly after?: bigint;
}

/** A page of a list. */
export class Page<T extends { id: bigint }> {
  constructor(
    readonly items: T[],
    readonly hasNext: boolean,
  ) {}

  /** Expects one row more than the limit, if there is one: it tells whether another page follows. */
  static of<T extends { id: bigint }>(rows: T[], limit: number): Page<T> {
    return rows.length > limit ? new Page(rows.slice(0, limit), true) : new Page(rows, false);
  }

  map<U extends { id: bigint }>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.hasNext);
  }
}

/** Leads to the first page and, if there is one, to the next (RFC 8288). */
export function linksOf(page: Page<{ id: bigint }>, { url, query }: FastifyRequest, apiBase: string): string {
  const [path = ''] = url.split('?', 1);
  const kept = Object.entries(query as Record<string, string>)
    .filter(([name]) => name !== 'after')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const target = (parameters: string[]) =>
    `<${apiBase}${path.slice(API_PREFIX.length)}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}>`;
  const first = `${target(kept)}; rel="first"`;
  if (!page.hasNext) return first;
  return `${first}, ${target([...kept, `after=${page.items.at(-1)!.id}`])}; rel="next"`;
}
