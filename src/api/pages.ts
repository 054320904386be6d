import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../common/config.js';
import { Int, Int64 } from './fields.js';

export const PAGE_LIMIT = { minimum: 1, maximum: 100 };

/** The query parameters of every list, which is in ascending order of id. A feature extends it with filters. */
export class PageQuery {
  @Int(PAGE_LIMIT, { description: 'Maximum number of items returned.', default: 20 }) readonly limit!: number;

  @Int64({ description: 'Return only items whose id is greater: the last id of the previous page.', optional: true })
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
  const base = apiBase + url.slice(API_PREFIX.length).split('?', 1)[0]!;
  const parameters = new URLSearchParams(query as Record<string, string>); // commas join what was repeated
  parameters.delete('after');
  const first = `<${base}${parameters.size > 0 ? `?${parameters}` : ''}>; rel="first"`;
  if (!page.hasNext) return first;
  parameters.set('after', String(page.items.at(-1)!.id));
  return `${first}, <${base}?${parameters}>; rel="next"`;
}
